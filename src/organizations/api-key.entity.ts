import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KEY_SCOPES, type KeyScope } from './key-scopes.js';
import { Organization } from './organization.entity.js';

const ALL_SCOPES = `'{${KEY_SCOPES.join(',')}}'`;

@Entity('api_keys')
@Check('api_keys_scopes', `scopes <@ ${ALL_SCOPES}::text[] and scopes <> '{}'`)
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

  @Column({ type: 'text', array: true, default: () => ALL_SCOPES })
  scopes!: KeyScope[];

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** Domains of senders, with their subdomains. Null allows all. */
  @Column({ type: 'text', name: 'allowed_domains', array: true, nullable: true })
  allowedDomains!: string[] | null;

  /** Networks of clients in CIDR notation. Null allows all. */
  @Column({ type: 'text', name: 'allowed_addresses', array: true, nullable: true })
  allowedAddresses!: string[] | null;

  /** `operator`, or `key:` or `user:` and the ID of a key or user. Null for keys made before creators were recorded. */
  @Column({ type: 'text', name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
