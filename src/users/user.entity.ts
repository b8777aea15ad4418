import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A person who signs in. Their memberships have their roles. */
@Entity('users')
@Unique('users_email_key', ['email'])
export class User {
  @PrimaryColumn('uuid')
  id!: string;

  /** In lower case. */
  @Column('text')
  email!: string;

  /** The result of `hashPassword`; null until the user sets a password. */
  @Column({ type: 'text', name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /** Secret of the second factor, bound to this row. Takes effect once it is confirmed. */
  @Column({ type: 'text', name: 'sealed_totp_secret', nullable: true })
  sealedTotpSecret!: string | null;

  @Column({ type: 'timestamptz', name: 'totp_confirmed_at', precision: 3, nullable: true })
  totpConfirmedAt!: Date | null;

  /** Time step of the last code that was used (RFC 6238). No code of this or an earlier step works again. */
  @Column({ type: 'integer', name: 'totp_last_step', nullable: true })
  totpLastStep!: number | null;

  /** SHA-256 of the remaining recovery codes. */
  @Column({ type: 'bytea', name: 'recovery_code_hashes', array: true, default: () => "'{}'" })
  recoveryCodeHashes!: Buffer[];

  /** The user's `sub` at the OpenID provider, from the first sign-in there. */
  @Column({ type: 'text', name: 'oidc_subject', nullable: true })
  oidcSubject!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
