import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../platform/database/one-of.js';
import { TOKEN_PURPOSES, type TokenPurpose } from './token-purposes.js';
import { User } from './user.entity.js';

/** A link that works once: it sets a password or signs in. The row is deleted when the link is used. */
@Entity('user_tokens')
@Check('user_tokens_purpose', isOneOf('purpose', TOKEN_PURPOSES))
export class UserToken {
  /** SHA-256 of the token. The token itself is only in the link. */
  @PrimaryColumn({ type: 'bytea', name: 'token_hash' })
  tokenHash!: Buffer;

  @Index('user_tokens_user_id')
  @ForeignKey(() => User, { name: 'user_tokens_user_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'user_id' })
  userId!: string;

  @Column('text')
  purpose!: TokenPurpose;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Index('user_tokens_expires_at')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
