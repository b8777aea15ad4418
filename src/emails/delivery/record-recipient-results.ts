import { bounceKindOf } from '../../events/feedback/bounce-kind.js';
import { recipientEventId, type RecipientEvent } from '../../events/recipient-event.js';
import type { Sql } from '../../platform/database/database.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';
import { recordRecipientFacts } from '../recipients/record-recipient-facts.js';

/** Only soft bounces depend on the limit, and a reply in the SMTP conversation causes none. */
const NO_SOFT_BOUNCES = { softBounceLimit: 1 };

/**
 * Stores the result for each recipient of an attempt. If a refusal shows that the address does not exist, it is a hard
 * bounce at once. Nothing is stored about an erased recipient. Locks the email first, as flushes of reports do, so that
 * the two cannot deadlock on its recipients. The details of a reported fact stay.
 * @param now in milliseconds since 1970
 * @returns IDs of new webhook deliveries, to wake after the commit
 */
export async function recordRecipientResults(
  sql: Sql,
  emailId: string,
  results: readonly RecipientResult[],
  now: number,
): Promise<readonly string[]> {
  if (results.length === 0) return [];
  await sql.query('select from emails where id = $1 for no key update', [emailId]);
  // A separate statement after the lock, so that it sees whether a recipient has been erased.
  await sql.query(
    `insert into recipient_deliveries as known (email_id, address, state, reason, smtp_status)
     select c.email_id, r.* from email_contents c, unnest($2::text[], $3::text[], $4::text[], $5::text[])
       as r (address, state, reason, smtp_status)
      where c.email_id = $1 and lower(r.address) = any(mailbox_keys(c.to_addresses || c.cc_addresses || c.bcc_addresses))
     on conflict (email_id, address) do update
       set state = excluded.state, updated_at = now(),
         reason = case when known.fact_at is null then excluded.reason else known.reason end,
         smtp_status = case when known.fact_at is null then excluded.smtp_status else known.smtp_status end`,
    [
      emailId,
      results.map(({ address }) => address),
      results.map(({ state }) => state),
      results.map(({ reason }) => reason ?? null),
      results.map(({ smtpStatus }) => smtpStatus ?? null),
    ],
  );
  const bounces = hardBounces(emailId, results, now);
  if (bounces.length === 0) return [];
  const { webhookDeliveries } = await recordRecipientFacts(sql, bounces, NO_SOFT_BOUNCES);
  return webhookDeliveries;
}

function hardBounces(emailId: string, results: readonly RecipientResult[], now: number): RecipientEvent[] {
  return results
    .filter(({ state, smtpStatus = '' }) => state === 'refused' && bounceKindOf(smtpStatus) === 'hard')
    .map(({ address, smtpStatus, reason }) => ({
      type: 'recipient',
      id: recipientEventId(now, `smtp-reply:${emailId}:${address}`),
      email: emailId,
      recipient: address,
      fact: 'bounced',
      bounce: 'hard',
      ...(smtpStatus !== undefined && { smtpStatus }),
      ...(reason !== undefined && { reason }),
    }));
}
