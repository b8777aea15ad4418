import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import { Budgets, type BudgetOwner } from '../../organizations/budgets/budgets.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { WorkNotifier } from '../../platform/queue/work-notifications.js';
import { EmailNotCancelableError, EmailNotScheduledError } from '../email-errors.js';
import { findEmail } from '../find-email.js';
import { STATUS } from '../email-status.js';
import { cancelEmail } from './cancel-email.js';
import { readSendAt } from './send-at.js';

/**
 * SQL condition: true for a row `p` of `pending_emails` that waits for its time. The time is in both rows until it has
 * passed. An email that has its job is due, although a statement that waited for it has an earlier `now()`: recovery
 * would create that job again and again until the new time.
 */
const IS_SCHEDULED = 'p.dispatched_at is null and p.lease_token is null and p.queued_at > now() and p.due_at > now()';

/**
 * Locks the pending row as a claim does, and rechecks it after the wait: exactly one of them gets an email. A time that
 * another request has changed since is rechecked, too, because a budget was charged for the day of that time.
 */
const RESCHEDULE = `
with free as (
  select p.email_id, coalesce($2::timestamptz, date_trunc('milliseconds', now())) as send_at from pending_emails p
   where p.email_id = $1 and p.queued_at = $3 and ${IS_SCHEDULED}
   for update
), moved as (
  update pending_emails p set queued_at = free.send_at, due_at = free.send_at from free where p.email_id = free.email_id
  returning p.email_id, p.due_at
)
update emails e set send_at = moved.due_at from moved where e.id = moved.email_id returning e.id`;

const FIND = `
select coalesce(cardinality(c.to_addresses || c.cc_addresses || c.bcc_addresses), 1) as recipients, p.queued_at as "sendAt"
  from pending_emails p left join email_contents c on c.email_id = p.email_id
 where p.email_id = $1 and ${IS_SCHEDULED}`;

interface ScheduledEmail extends Record<string, unknown> {
  readonly recipients: number;
  readonly sendAt: Date;
}

/** Cancels emails that no worker has claimed, and moves scheduled emails to another time. By ID or tracking ID. */
@Injectable()
export class ScheduledEmails {
  constructor(
    private readonly database: Database,
    private readonly budgets: Budgets,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    private readonly live: LivePublisher,
    private readonly workers: WorkNotifier,
  ) {}

  /**
   * The email no longer counts for its campaign and contacts, nor, before its time, for the day on which it was to be
   * sent.
   * @throws EmailNotFoundError, EmailNotCancelableError
   */
  async cancel(owner: BudgetOwner, author: Author, idOrTrackingId: string): Promise<void> {
    const { organizationId } = owner;
    const { id } = await findEmail(this.database, organizationId, idOrTrackingId);
    const canceled = await this.database.inTurn(organizationId, () => cancelEmail(this.database, id, author));
    if (!canceled) throw new EmailNotCancelableError(await this.statusOf(id));
    const { sendAt, recipients } = canceled;
    if (sendAt !== null && sendAt.getTime() > this.clock.now())
      this.budgets.giveBack(owner, 'emailsPerDay', recipients, sendAt);
    this.live.report({ type: 'email.canceled', organizationId, emailId: id });
  }

  /**
   * @param sendAt in ISO 8601; a time that is not in the future means at once
   * @throws InvalidFieldError, EmailNotFoundError, EmailNotScheduledError, BudgetExceededError
   */
  async reschedule(owner: BudgetOwner, author: Author, idOrTrackingId: string, sendAt: string): Promise<void> {
    const time = readSendAt(sendAt, this.clock.now());
    const { id } = await findEmail(this.database, owner.organizationId, idOrTrackingId);
    // Each repetition follows another request that has moved the email.
    for (let isMoved = false; !isMoved;) {
      const [email] = await this.database.query<ScheduledEmail>(FIND, [id]);
      if (!email) throw new EmailNotScheduledError(await this.statusOf(id));
      isMoved = await this.moveWithinBudget(owner, author, { ...email, id }, time);
    }
    this.workers.notify('emails');
    this.live.report({ type: 'email.rescheduled', organizationId: owner.organizationId, emailId: id });
  }

  /** @returns false when the email is no longer scheduled for the time that was found */
  private async moveWithinBudget(
    owner: BudgetOwner,
    author: Author,
    { id, recipients, sendAt }: ScheduledEmail & { readonly id: string },
    time: Date | undefined,
  ): Promise<boolean> {
    const staysInPeriod = this.budgets.isSamePeriod('emailsPerDay', sendAt, time);
    const spending = staysInPeriod ? undefined : await this.budgets.take(owner, 'emailsPerDay', recipients, time);
    let isMoved = false;
    try {
      isMoved = await this.move(author, id, sendAt, time);
    } finally {
      if (!isMoved) spending?.correct(0);
    }
    if (isMoved && !staysInPeriod) this.budgets.giveBack(owner, 'emailsPerDay', recipients, sendAt);
    return isMoved;
  }

  private move(author: Author, id: string, from: Date, to: Date | undefined): Promise<boolean> {
    return this.database.transactionOf(author.organizationId, async (sql) => {
      const moved = await sql.query(RESCHEDULE, [id, to ?? null, from]);
      const target = { kind: 'email', id } as const;
      if (moved.length > 0) await AuditLog.record(sql, { ...author, action: 'email.rescheduled', target });
      return moved.length > 0;
    });
  }

  private async statusOf(id: string): Promise<string> {
    const [email] = await this.database.query<{ status: string }>(
      `select ${STATUS} as status from emails e left join pending_emails p on p.email_id = e.id where e.id = $1`,
      [id],
    );
    return email?.status ?? 'deleted';
  }
}
