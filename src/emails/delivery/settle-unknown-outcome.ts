import { randomUUID } from 'node:crypto';
import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import type { MessageSource } from '../../rendering/personalize/message-template.js';
import { AuditLog, operatorOf } from '../../organizations/audit/record-audit.js';
import { isOwnProvider } from '../../organizations/providers/own-provider-id.sql.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.js';
import {
  IN_DOUBT,
  inDoubtWithoutResult,
  IS_DOUBTFUL,
  settleDoubtfulRecipients,
  settleRecipients,
} from './doubtful-recipients.js';
import { moveToFailed } from './move-to-failed.js';
import { MARK_SENT } from './delivery-statements.js';
import { sentValues } from './sent-values.js';
import { retryInTransaction } from '../read/email-retries.js';
import { SETTLED_AS_FAILED } from './unknown-outcome-reason.js';
import { AWAITS_RESEND, IS_UNKNOWN } from './unknown-outcome.sql.js';
import { hasReached } from '../schedule/canceled-emails.sql.js';
import { EMAIL_LEASE_MS, type Lease } from './lease.js';

export type OutcomeDecision = 'sent' | 'resend' | 'failed';

export interface SettledEmail {
  readonly trackingId: string;
  readonly createdAt: Date;
  /** Address with which its links begin; null for BASE_URL. */
  readonly baseUrl: string | null;
  readonly html: string;
  /** The message of its broadcast, which replaces the HTML; null without a broadcast. */
  readonly shared: MessageSource | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
  /** Stored mailboxes: the sender and the first recipient. */
  readonly sender: string;
  readonly to: string;
}

interface WaitingEmail {
  readonly failed: boolean;
  readonly wasResent: boolean;
  readonly sentAt: Date;
  /** True when some recipients have it. */
  readonly isReached: boolean;
  /** Set when the provider had accepted the email for them. */
  readonly providerId: string | null;
}

/** The provider reported no results for single recipients. */
const NO_RESULTS = { recipients: [], at: 0 };

/**
 * Settles an email with an unknown outcome: it counts as sent, is resent at once, or counts as failed. Of an email that
 * others have, it settles the recipients in doubt. Records the operator's decision.
 * @param urlsOf the destinations of its links, for an email that counts as sent
 * @returns false when the outcome of the email is known, its campaign is archived, or it would be resent although its
 *   broadcast is canceled or others have it; then nothing has changed
 */
export function settleUnknownOutcome(
  database: Database,
  emailId: string,
  verdict: OutcomeDecision,
  urlsOf: (email: SettledEmail) => readonly string[],
): Promise<boolean> {
  return database.transaction(async (sql) => {
    if (!(await settle(sql, emailId, verdict, urlsOf))) return false;
    const [email] = await sql.query<{ organizationId: string }>(
      'select organization_id as "organizationId" from emails where id = $1',
      [emailId],
    );
    const author = operatorOf(email!.organizationId);
    const target = { kind: 'email', id: emailId } as const;
    await AuditLog.record(sql, { ...author, action: 'email.settled', target, details: { verdict } });
    return true;
  });
}

async function settle(
  sql: Sql,
  emailId: string,
  verdict: OutcomeDecision,
  urlsOf: (email: SettledEmail) => readonly string[],
): Promise<boolean> {
  const [email] = await sql.query<SettledEmail & WaitingEmail>(
    `select e.tracking_id as "trackingId", e.created_at as "createdAt", ${TRACKING_BASE_URL} as "baseUrl",
            c.html, c.variables, c.sender, c.to_addresses[1] as "to",
            case when m.id is not null
                 then json_build_object('subject', m.subject, 'html', m.html, 'text', m.text) end as shared,
            e.failed_at is not null as failed, e.possible_duplicate as "wasResent",
            coalesce(e.failed_at, now()) as "sentAt", p.provider_id as "providerId",
            coalesce(${hasReached('p')}, false) as "isReached"
       from emails e
       join email_contents c on c.email_id = e.id
       left join pending_emails p on p.email_id = e.id
       left join broadcasts b on b.id = e.broadcast_id
       left join messages m on m.id = b.message_id
      where e.id = $1 and (${IS_UNKNOWN} or ${AWAITS_RESEND})`,
    [emailId],
  );
  if (!email) return verdict !== 'resend' && settleDoubtfulRecipients(sql, emailId, verdict, Date.now());
  if (email.failed && verdict === 'failed') return closeFailed(sql, emailId);
  if (email.failed && !(await retryInTransaction(sql, emailId, verdict === 'sent'))) return false;
  if (verdict === 'resend') return email.failed || resendNow(sql, emailId);
  const lease = await takeWaiting(sql, emailId, verdict === 'failed' || !email.wasResent);
  if (!lease) return false;
  if (verdict === 'failed' && !email.isReached) return failWaiting(sql, lease);
  const { providerId, sentAt } = email;
  const sent = { providerId: providerId ?? emailId, urls: urlsOf(email), sentAt, recipients: [] };
  // While the email is pending: that says which reports count.
  const withoutResult = verdict === 'failed' ? await inDoubtWithoutResult(sql, emailId) : [];
  await settleRecipients(sql, emailId, verdict, sentAt.getTime(), IN_DOUBT, withoutResult);
  await MARK_SENT.run(sql, sentValues([[lease, sent]]));
  return true;
}

async function closeFailed(sql: Sql, emailId: string): Promise<boolean> {
  const closed = await sql.query(
    `update emails e set last_error = '${SETTLED_AS_FAILED}', possible_duplicate = false
      where e.id = $1 and ${IS_UNKNOWN} returning e.id`,
    [emailId],
  );
  if (closed.length === 0) return false;
  await settleRecipients(sql, emailId, 'failed', Date.now(), IS_DOUBTFUL);
  return true;
}

async function failWaiting(sql: Sql, lease: Lease): Promise<boolean> {
  const moved = await moveToFailed(sql, new WebhookOutbox(), lease, SETTLED_AS_FAILED, NO_RESULTS);
  if (!moved) return false;
  await settleRecipients(sql, lease.emailId, 'failed', Date.now(), IS_DOUBTFUL);
  return true;
}

/** One of a paused broadcast waits: the next step of the broadcast takes it out of the queue again. */
async function resendNow(sql: Sql, emailId: string): Promise<boolean> {
  // Locked whatever its status, so that no step in between has already taken out the emails.
  await sql.query(
    `update broadcasts set step_at = case when status = 'paused' then now() else step_at end
      where id = (select broadcast_id from pending_emails where email_id = $1)`,
    [emailId],
  );
  const due = await sql.query(
    `update pending_emails p
        set due_at = date_trunc('milliseconds', now()),
            -- The organization may have deleted the provider that has it, perhaps: any other one may send it then.
            provider = case when ${isOwnProvider('p.provider')} and not exists (
                                   select from organization_providers o where o.id::text = p.provider)
                            then null else p.provider end
      where p.email_id = $1 and ${AWAITS_RESEND} returning p.email_id`,
    [emailId],
  );
  return due.length > 0;
}

/**
 * @param isAtMostOneCopy true when one copy has reached the recipients or none, so that the duplicate flag is cleared
 */
async function takeWaiting(sql: Sql, emailId: string, isAtMostOneCopy: boolean): Promise<Lease | undefined> {
  const token = randomUUID();
  const taken = await sql.query(
    `update pending_emails p
        set lease_token = $2, lease_until = now() + $3 * interval '1 ms',
            possible_duplicate = p.possible_duplicate and not $4
      where p.email_id = $1 and ${AWAITS_RESEND} returning p.email_id`,
    [emailId, token, EMAIL_LEASE_MS, isAtMostOneCopy],
  );
  return taken.length > 0 ? { emailId, token } : undefined;
}
