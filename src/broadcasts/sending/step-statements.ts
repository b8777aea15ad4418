import { IS_PARKED } from '../../emails/dispatch/parked-email.sql.js';
import { lockDueByTurns } from '../../platform/database/lock-due-by-turns.sql.js';
import { millisecondsUntil } from '../../platform/database/milliseconds-until.js';

/** When the next step is due. Every worker runs this often, so it is one statement and no transaction. */
export const NEXT_STEP = `
select ${millisecondsUntil('min(step_at)')} as "inMs" from broadcasts where step_at is not null`;

/** Locks the broadcast that takes the next step. $1 the organizations of the latest turns, see `OrganizationTurns`. */
export const LOCK_BROADCAST = lockDueByTurns('broadcasts', 'id');

/** The same broadcast again, for a second transaction of its step. */
export const LOCK_BROADCAST_AGAIN = `
select id, organization_id from broadcasts where id = $1 and step_at is not null
   for no key update skip locked`;

/** $2 milliseconds until the next step; $3 when the budget renews, if it waits for that; $4 true to keep that time */
export const END_STEP = `
update broadcasts
   set step_at = now() + $2::float8 * interval '1 ms', waits_until = case when $4 then waits_until else $3::timestamptz end
 where id = $1`;

/** A broadcast that is no longer due has done its step elsewhere. */
export const POSTPONE_STEP = `
update broadcasts set step_at = now() + interval '10 s' where id = $1 and step_at <= now()`;

/**
 * A separate statement, so that it sees what the previous holder of the lock did. It does not count emails of a
 * canceled broadcast: each of a thousand batches would count the remaining ones again.
 */
export const READ_BROADCAST = `
select b.id, b.organization_id, b.campaign_id, b.status, b.sender, b.reply_to, m.subject, m.headers, m.attachments, b.tags, b.pace, b.recipients, b.suppressed,
       b.emails, b.next_place, o.plan, pending.*,
       exists (select from sending_guards g where g.organization_id = b.organization_id and g.state = 'paused') as guarded,
       coalesce(b.per_second < 1 and b.started_at < now() - interval '10 s', false) as stalled
  from broadcasts b
  join messages m on m.id = b.message_id
  join organizations o on o.id = b.organization_id
 cross join lateral (
   select count(*)::integer as pending, (count(*) filter (where p.attempts = 0))::integer as fresh,
          (count(*) filter (where p.attempts > 0 and p.lease_token is null and p.due_at < now() + interval '1 minute'))::integer
            as "dueAgain",
          (count(*) filter (where ${IS_PARKED}))::integer as parked
     from pending_emails p where p.broadcast_id = b.id and b.status <> 'canceled') as pending
 where b.id = $1`;

/**
 * Measures the rate every two seconds; older measurements fade. A retry makes an email pending again, so the number can
 * fall: that counts as 0.
 */
export const MEASURE_RATE = `
update broadcasts
   set measured_at = now(), measured_emails = $2::bigint,
       per_second = case
         when measured_at is null or measured_at < now() - interval '1 minute' then 0
         else per_second * 0.5 + 0.5 * greatest(0, $2::bigint - measured_emails) / extract(epoch from now() - measured_at) end
 where id = $1 and (measured_at is null or measured_at < now() - interval '2 s')`;
