import { Injectable } from '@nestjs/common';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import { Budgets, type BudgetOwner } from '../../organizations/budgets/budgets.js';
import { requireNotSuspended } from '../../organizations/guard/require-not-suspended.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { WorkNotifier } from '../../platform/queue/work-notifications.js';
import {
  BroadcastOfEmailCanceledError,
  CampaignOfEmailArchivedError,
  EmailContentGoneError,
  EmailNotFailedError,
} from '../email-errors.js';
import { IS_UNSENDABLE } from '../content-retention.js';
import { findEmail } from '../find-email.js';
import { RETRY } from './retry-statement.js';

/**
 * Queues one failed email again.
 * @param isSettled true when the transaction takes it out of the queue again: then its broadcast may be canceled
 * @returns false when it is not failed, its campaign is archived or its broadcast is canceled
 */
export async function retryInTransaction(sql: Sql, emailId: string, isSettled: boolean): Promise<boolean> {
  return (await sql.query(RETRY, [[emailId], null, isSettled])).length > 0;
}

interface FailedEmail extends Record<string, unknown> {
  id: string;
  status: string;
  recipients: number;
  is_gone: boolean;
  /** Its broadcast is canceled. */
  is_canceled: boolean;
}

const EMAIL = `
select e.id, e.status, coalesce(cardinality(c.to_addresses || c.cc_addresses || c.bcc_addresses), 1) as recipients,
       ${IS_UNSENDABLE} is true as is_gone,
       exists (select from broadcasts b where b.id = e.broadcast_id and b.status = 'canceled') as is_canceled
  from emails e left join email_contents c on c.email_id = e.id`;

/** Retries failed emails. */
@Injectable()
export class EmailRetries {
  constructor(
    private readonly database: Database,
    private readonly budgets: Budgets,
    private readonly live: LivePublisher,
    private readonly workers: WorkNotifier,
  ) {}

  /**
   * Queues a failed email again, by ID or tracking ID. It counts against the emails of the day again.
   * @throws BudgetExceededError, EmailNotFoundError, EmailNotFailedError, EmailContentGoneError,
   *   CampaignOfEmailArchivedError, BroadcastOfEmailCanceledError, SuspendedError
   */
  async retry(owner: BudgetOwner, author: Author, idOrTrackingId: string): Promise<void> {
    const { organizationId } = owner;
    const email = await findEmail<FailedEmail>(this.database, organizationId, idOrTrackingId, EMAIL);
    const spending = await this.budgets.take(owner, 'emailsPerDay', email.recipients);
    let isRetried = false;
    try {
      isRetried = await this.queueAgain(author, email.id);
    } finally {
      if (!isRetried) spending.correct(0);
    }
    if (isRetried) {
      this.workers.notify('emails');
      return this.live.report({ type: 'email.retried', organizationId, emailId: email.id });
    }
    if (email.status !== 'failed') throw new EmailNotFailedError(email.status);
    if (email.is_gone) throw new EmailContentGoneError();
    if (email.is_canceled) throw new BroadcastOfEmailCanceledError();
    throw new CampaignOfEmailArchivedError();
  }

  private queueAgain(author: Author, id: string): Promise<boolean> {
    return this.database.transactionOf(author.organizationId, async (sql) => {
      await requireNotSuspended(sql, author.organizationId);
      if ((await sql.query(RETRY, [[id], author.organizationId, false])).length === 0) return false;
      await AuditLog.record(sql, { ...author, action: 'email.retried', target: { kind: 'email', id } });
      return true;
    });
  }
}
