import { appendSent, appendUncounted } from '../../campaigns/stats/append-stats.sql.js';
import type { Sql } from '../../platform/database/database.js';
import { endedEmail, hasReached } from '../../emails/schedule/canceled-emails.sql.js';
import type { Batch } from './lock-batch.js';
import type { Person } from './person.js';

/** The error of an email that may have reached the person. */
export const ERASED_WITH_UNKNOWN_OUTCOME = 'The recipient was erased before the outcome of the last attempt was known';

/**
 * Removes emails that go only to the person from the queue. An email that may have reached the person is not canceled:
 * it fails, like any email whose outcome stays unknown. The emails no longer count for their campaign. $1 emails.
 */
const END = `
with gone as (
  delete from pending_emails where email_id = any($1::uuid[])
  returning email_id, attempts, possible_duplicate, provider_id, provider, queued_at
), email as (
  update emails e
     set ${endedEmail('gone')},
         last_error = case when gone.possible_duplicate and not ${hasReached('gone')} then '${ERASED_WITH_UNKNOWN_OUTCOME}' end
    from gone where e.id = gone.email_id
  returning e.*
), counted as (
  update broadcasts b set canceled = b.canceled + canceled.emails
    from (select broadcast_id, count(*) as emails from email
           where broadcast_id is not null and status = 'canceled' group by broadcast_id) as canceled
   where b.id = canceled.broadcast_id
), sent as (
  ${appendSent('email')}
), uncounted as (
  ${appendUncounted("(select * from email where status <> 'sent')")}
)
insert into campaign_totals (campaign_id, shard, emails)
select campaign_id, 0, -count(*) from email
 where campaign_id is not null and status <> 'sent' group by campaign_id order by campaign_id
on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails`;

/**
 * Updates emails that stay without the person. A worker that has loaded one may still be about to claim it with the
 * address: the new due time makes a claim that has already begun fail, and a later claim compares the recipients. A
 * worker that held an older lease can no longer store an outcome. $1 emails, $2 pattern.
 */
const GO_ON = `
update pending_emails
   set due_at = greatest(due_at, date_trunc('milliseconds', clock_timestamp()) + interval '1 second'),
       generation = generation + (dispatched_at is not null)::integer, dispatched_at = null, doubt_token = null,
       last_error = regexp_replace(last_error, $2, 'erased', 'gi')
 where email_id = any($1::uuid[])`;

export async function endPendingEmails(sql: Sql, { ending, going }: Batch, { pattern }: Person): Promise<void> {
  if (ending.length > 0) await sql.query(END, [ending]);
  if (going.length > 0) await sql.query(GO_ON, [going, pattern]);
}
