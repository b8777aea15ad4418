import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from './organization.entity.js';

@Entity('api_keys')
export class ApiKey {
  /** The public part of the key, between `mb_` and the secret. */
  @PrimaryColumn('text')
  id!: string;

  @Index('api_keys_organization_id')
  @ForeignKey(() => Organization, { name: 'api_keys_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  /** SHA-256 of the secret. The secret itself is shown once and never stored. */
  @Column({ type: 'bytea', name: 'secret_hash' })
  secretHash!: Buffer;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
