import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';
import { User } from '../user.entity.js';

/** One browser in which a user is signed in. The row is deleted when the session ends. */
@Entity('sessions')
@Unique('sessions_token_hash_key', ['tokenHash'])
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

  /** SHA-256 of the cookie's value. */
  @Column({ type: 'bytea', name: 'token_hash' })
  tokenHash!: Buffer;

  @Index('sessions_user_id')
  @ForeignKey(() => User, { name: 'sessions_user_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'user_id' })
  userId!: string;

  /**
   * The organization that the user chose last. If there is none, or the user has left it, the one they joined first
   * applies.
   */
  @Index('sessions_organization_id')
  @ForeignKey(() => Organization, { name: 'sessions_organization_id_fkey', onDelete: 'SET NULL' })
  @Column({ type: 'uuid', name: 'organization_id', nullable: true })
  organizationId!: string | null;

  /** True when the sign-in needed a code. A user with a second factor has no other sessions. */
  @Column({ type: 'boolean', name: 'second_factor' })
  secondFactor!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** To within a few minutes. */
  @Column({ type: 'timestamptz', name: 'last_seen_at', precision: 3, default: () => 'now()' })
  lastSeenAt!: Date;

  @Index('sessions_expires_at')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
