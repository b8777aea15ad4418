import type { Sql } from '../../platform/database/database.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';
import { addressKey, bareAddress, ERASED_ADDRESS } from '../mailbox.js';
import { FORGET_SUPPRESSION, IS_SUPPRESSED } from '../recipients/recipient-state.sql.js';
import { recordRecipientResults } from './record-recipient-results.js';
import { isLeftInDoubt, provesSharedMessage } from './reports-in-doubt.sql.js';
import { SETTLED_AS_FAILED, UNKNOWN_OUTCOME } from './unknown-outcome-reason.js';

/**
 * A recipient whose outcome stays unknown although the email counts as sent, because others have it. The provider has
 * reported nothing about the recipient since; the second copy was refused, or we left the recipient out of it. In the
 * words of the index `recipient_deliveries_doubtful`.
 */
export const IS_DOUBTFUL = `r.state = 'refused' and r.reason like '${UNKNOWN_OUTCOME}%' and (r.fact_at is null or ${IS_SUPPRESSED})`;

/**
 * Of recipients with a result of their own, the doubt is about those that were deferred and have no report since, and
 * about those whose second copy was refused or left out.
 */
export const IN_DOUBT = `(${isLeftInDoubt('p')} or (${IS_DOUBTFUL}))`;

/** Of `emails e`, whose contents are `c`, and whose row `p` is if it is pending. */
export const RECIPIENTS_IN_DOUBT = `
  select array_agg(m.mailbox order by m.place)
    from (select c.to_addresses || c.cc_addresses || c.bcc_addresses as mailboxes) as everyone
   cross join lateral unnest(mailboxes, mailbox_keys(mailboxes)) with ordinality as m (mailbox, key, place)
    left join recipient_deliveries r on r.email_id = e.id and lower(r.address) = m.key
   where m.mailbox <> '${ERASED_ADDRESS}' and case when r.address is not null then ${IN_DOUBT} else not exists (
           select from recipient_deliveries r where r.email_id = e.id and ${provesSharedMessage('p')}) end`;

/** Sent emails with doubtful recipients, in the columns of the CTE `unknown`. $1 organization or null, $2 limit. */
export const SENT_IN_DOUBT = `
select r.email_id as id, 'sent' as state, min(r.reason) as reason, null::timestamptz as resend_at,
       array_agg(r.address order by r.address) as addresses
  from recipient_deliveries r join emails s on s.id = r.email_id
 where ${IS_DOUBTFUL} and s.status = 'sent' and ($1::uuid is null or s.organization_id = $1)
 group by r.email_id order by r.email_id limit $2`;

/** @returns false if there are none */
export async function settleDoubtfulRecipients(
  sql: Sql,
  emailId: string,
  verdict: 'sent' | 'failed',
  at: number,
): Promise<boolean> {
  await sql.query('select from emails where id = $1 for no key update', [emailId]);
  return settleRecipients(sql, emailId, verdict, at, `${IS_DOUBTFUL} and s.status = 'sent'`);
}

/**
 * Records recipients as an operator settles them; that we left one out of the second copy is no longer its state. The
 * caller has locked the email.
 * @param which condition on rows `r` of `recipient_deliveries`, their email `s`, and its row `p` if it is pending
 * @param withoutResult other recipients, who have no row
 * @returns false if there are none
 */
export async function settleRecipients(
  sql: Sql,
  emailId: string,
  verdict: 'sent' | 'failed',
  at: number,
  which: string,
  withoutResult: readonly string[] = [],
): Promise<boolean> {
  const chosen = await sql.query<{ address: string }>(
    `update recipient_deliveries r set ${FORGET_SUPPRESSION}
       from emails s left join pending_emails p on p.email_id = s.id
      where r.email_id = $1 and s.id = r.email_id and ${which} returning r.address`,
    [emailId],
  );
  const addresses = [...chosen.map(({ address }) => address), ...withoutResult];
  await recordRecipientResults(sql, emailId, settledResults(addresses, verdict), at);
  return addresses.length > 0;
}

/** The recipients in doubt who have no row of `recipient_deliveries`, of a pending email. */
export async function inDoubtWithoutResult(sql: Sql, emailId: string): Promise<string[]> {
  const [email] = await sql.query<{ mailboxes: string[] | null; known: string[] }>(
    `select (${RECIPIENTS_IN_DOUBT}) as mailboxes,
            array(select lower(r.address) from recipient_deliveries r where r.email_id = e.id) as known
       from emails e join email_contents c on c.email_id = e.id left join pending_emails p on p.email_id = e.id
      where e.id = $1`,
    [emailId],
  );
  const known = new Set(email?.known);
  return (email?.mailboxes ?? []).map(bareAddress).filter((address) => !known.has(addressKey(address)));
}

/** The results of recipients as an operator settles them. */
function settledResults(addresses: readonly string[], verdict: 'sent' | 'failed'): RecipientResult[] {
  return addresses.map((address) =>
    verdict === 'sent' ? { address, state: 'accepted' } : { address, state: 'refused', reason: SETTLED_AS_FAILED },
  );
}
