import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Email } from '../email.entity.js';

/** The mutable state of an email that is not final. The row is deleted when the email becomes final. */
@Entity('pending_emails')
@Index('pending_emails_waiting', ['organizationId', 'dueAt'], { where: 'dispatched_at is null' })
@Index('pending_emails_dispatched_at', ['dispatchedAt'], { where: 'dispatched_at is not null' })
@Index('pending_emails_dispatched', ['organizationId', 'dispatchedAt'], { where: 'dispatched_at is not null' })
@Index('pending_emails_broadcast', ['broadcastId', 'emailId'], { where: 'broadcast_id is not null' })
export class PendingEmail {
  @ForeignKey(() => Email, { name: 'pending_emails_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** When the email was accepted or retried, or when it is due if it is scheduled. */
  @Column({ type: 'timestamptz', name: 'queued_at', precision: 3, default: () => 'now()' })
  queuedAt!: Date;

  @Column({
    type: 'timestamptz',
    name: 'due_at',
    precision: 3,
    default: () => `date_trunc('milliseconds', now())`,
  })
  dueAt!: Date;

  /** When the email got its job; null while it waits for one. */
  @Column({ type: 'timestamptz', name: 'dispatched_at', precision: 3, nullable: true })
  dispatchedAt!: Date | null;

  /** The position in the queue while the email has a job, see `DispatchWindow`. */
  @Column({ type: 'integer', nullable: true })
  place!: number | null;

  /** Part of the job id, so that a new job does not collide with the one that is just ending. */
  @Column({ type: 'integer', default: 0 })
  generation!: number;

  /** Requests to the provider that may have started. */
  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /**
   * When a worker first claimed the email: it is retried for 24 hours from then on, or from a later resumption of its
   * organization. Null again after a pause of its broadcast.
   */
  @Column({ type: 'timestamptz', name: 'first_claimed_at', precision: 3, nullable: true })
  firstClaimedAt!: Date | null;

  /** Runs that crashed without an outcome. */
  @Column({ type: 'integer', default: 0 })
  crashes!: number;

  @Column({ type: 'uuid', name: 'lease_token', nullable: true })
  leaseToken!: string | null;

  @Column({ type: 'timestamptz', name: 'lease_until', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** The lease of a worker that stopped responding: if it returns with an outcome, that resolves the ambiguity. */
  @Column({ type: 'uuid', name: 'doubt_token', nullable: true })
  doubtToken!: string | null;

  @Column({ type: 'boolean', name: 'possible_duplicate', default: false })
  possibleDuplicate!: boolean;

  /** Set when the provider accepted the email for some of its recipients. */
  @Column({ type: 'text', name: 'provider_id', nullable: true })
  providerId!: string | null;

  /** ID of the provider that was called last. */
  @Column({ type: 'text', nullable: true })
  provider!: string | null;

  @Column({ type: 'text', name: 'last_error', nullable: true })
  lastError!: string | null;

  /** The API process that waits for the result, if any. */
  @Column({ type: 'uuid', nullable: true })
  waiter!: string | null;

  /** The broadcast that may pause or cancel the email. */
  @Column({ type: 'uuid', name: 'broadcast_id', nullable: true })
  broadcastId!: string | null;
}
