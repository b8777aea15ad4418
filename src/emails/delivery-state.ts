import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../database/database.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { forgetFailedEmail } from './email-totals.js';
import { recordLinks } from './link-records.js';
import type { RecipientResult } from '../providers/provider.js';

/** Who holds an email while it is `sending`: only the holder may say what became of it. */
export interface Lease {
  readonly emailId: string;
  readonly token: string;
}

export interface SentEmail {
  readonly providerId: string;
  readonly urls: readonly string[];
  readonly sentAt: Date;
  readonly recipients: readonly RecipientResult[];
}

export interface Postponement {
  readonly reason: string;
  readonly delayMs: number;
  /** False when the email is not to blame: the try does not count. */
  readonly countsAsAttempt: boolean;
  readonly possibleDuplicate?: boolean;
  /** Given when the provider took the email for some of its recipients. */
  readonly providerId?: string;
  readonly recipients?: readonly RecipientResult[];
}

/**
 * The one table of moves: queued -> sending -> sent | failed, and sending -> queued to try again.
 * Every move is conditional on the state it leaves, so a job that runs twice changes nothing the second time.
 * Leases live by the clock of Postgres, whatever the workers' clocks say.
 */
@Injectable()
export class DeliveryState {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /** queued -> sending. The number of this attempt, or undefined when the email is not ours to send now. */
  async claim({ emailId, token }: Lease, leaseMs: number): Promise<number | undefined> {
    const [row] = await this.database.prepared<{ attempts: number }>(
      'claim-email',
      `update emails
          set status = 'sending', attempts = attempts + 1, lease_token = $2, lease_until = now() + $3 * interval '1 ms'
        where id = $1 and status = 'queued' and next_attempt_at <= now()
        returning attempts`,
      [emailId, token, leaseMs],
    );
    return row?.attempts;
  }

  /** sending -> sent, with its links and the webhooks that tell about it. The deliveries to wake. */
  async markSent(lease: Lease, sent: SentEmail): Promise<string[] | undefined> {
    return this.database.transaction(async (sql) => {
      const [email] = await sql.prepared<{ organization_id: string; campaign_id: string | null }>(
        'mark-sent',
        `update emails
            set status = 'sent', sent_at = $3, provider_id = $4, last_error = null,
                lease_token = null, lease_until = null, next_attempt_at = null
          where id = $1 and status = 'sending' and lease_token = $2
          returning organization_id, campaign_id`,
        [lease.emailId, lease.token, sent.sentAt, sent.providerId],
      );
      if (!email) return undefined;
      await recordLinks(sql, lease.emailId, email.campaign_id, sent.urls);
      await recordRecipients(sql, lease.emailId, sent.recipients);
      return this.webhooks.emailSent(sql, email.organization_id, lease.emailId);
    });
  }

  /** sending -> failed. The email no longer counts for its campaign and contacts. The deliveries to wake. */
  async markFailed(
    lease: Lease,
    reason: string,
    recipients: readonly RecipientResult[],
  ): Promise<string[] | undefined> {
    return this.database.transaction(async (sql) => {
      const [email] = await sql.query<{ organization_id: string; campaign_id: string | null; contact_ids: string[] }>(
        `update emails
            set status = 'failed', failed_at = now(), last_error = $3,
                lease_token = null, lease_until = null, next_attempt_at = null
          where id = $1 and status = 'sending' and lease_token = $2
          returning organization_id, campaign_id, contact_ids`,
        [lease.emailId, lease.token, reason],
      );
      if (!email) return undefined;
      await forgetFailedEmail(sql, email.campaign_id, email.contact_ids);
      await recordRecipients(sql, lease.emailId, recipients);
      return this.webhooks.emailFailed(sql, email.organization_id, lease.emailId);
    });
  }

  /** sending -> queued, to be tried again after the delay. False when the lease was lost. */
  async postpone(lease: Lease, postponement: Postponement): Promise<boolean> {
    const {
      reason,
      delayMs,
      countsAsAttempt,
      possibleDuplicate = false,
      providerId = null,
      recipients = [],
    } = postponement;
    return this.database.transaction(async (sql) => {
      const moved = await sql.query(
        `update emails
            set status = 'queued', next_attempt_at = now() + $3 * interval '1 ms', last_error = $4,
                attempts = attempts - $5, possible_duplicate = possible_duplicate or $6,
                provider_id = coalesce($7, provider_id), lease_token = null, lease_until = null
          where id = $1 and status = 'sending' and lease_token = $2
          returning id`,
        [lease.emailId, lease.token, delayMs, reason, countsAsAttempt ? 0 : 1, possibleDuplicate, providerId],
      );
      if (moved.length === 0) return false;
      await recordRecipients(sql, lease.emailId, recipients);
      return true;
    });
  }
}

async function recordRecipients(sql: SqlRunner, emailId: string, results: readonly RecipientResult[]): Promise<void> {
  if (results.length === 0) return;
  await sql.query(
    `insert into recipient_deliveries (email_id, address, state, reason)
     select $1, r.address, r.state, r.reason from unnest($2::text[], $3::text[], $4::text[]) as r (address, state, reason)
     on conflict (email_id, address) do update set state = excluded.state, reason = excluded.reason`,
    [
      emailId,
      results.map((result) => result.address),
      results.map((result) => result.state),
      results.map((result) => result.reason ?? null),
    ],
  );
}
