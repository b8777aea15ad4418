import { IS_PARKED } from '../../emails/dispatch/parked-email.sql.js';
import { millisecondsUntil } from '../../platform/database/milliseconds-until.js';

/** When the next step is due. Every worker runs this often, so it is one statement and no transaction. */
export const NEXT_STEP = `
select ${millisecondsUntil('min(step_at)')} as "inMs" from broadcasts where step_at is not null`;

/** If fewer broadcasts are due, they are read; if more are, each organization that has any under way is looked up. */
const MANY = 500;
/**
 * Of the organization whose turn was longest ago, the broadcast that has waited longest for its step; other workers skip
 * it until the step is done. One organization may have many thousands that are due, so not all of them are read. $1 the
 * organizations of the latest turns, see `OrganizationTurns`.
 */
export const LOCK_BROADCAST = `
with recursive earliest as materialized (
  select organization_id, step_at from broadcasts where step_at <= now() order by step_at limit ${MANY}
), organizations as (
  (select organization_id, step_at from broadcasts
    where step_at is not null and (select count(*) from earliest) = ${MANY}
    order by organization_id, step_at limit 1)
  union all
  select following.* from organizations o, lateral (
    select organization_id, step_at from broadcasts
     where step_at is not null and organization_id > o.organization_id order by organization_id, step_at limit 1) following
), due as (
  select organization_id, min(step_at) as step_at
    from (select * from earliest union all select * from organizations where step_at <= now()) found
   group by organization_id
   order by coalesce(array_position($1::uuid[], organization_id), 0), min(step_at)
)
-- Stops at the first organization with one that no other worker has locked. Rows are compared, because for one organization
-- Postgres would scan the index of all due broadcasts until it finds one of the organization.
select locked.id, due.organization_id as "organizationId"
  from due cross join lateral (
    select id from broadcasts b
     where b.step_at <= now() and (b.organization_id, b.step_at) between (due.organization_id, due.step_at) and (due.organization_id, now())
     order by b.organization_id, b.step_at limit 1 for no key update skip locked) locked
 limit 1`;

/** The same broadcast again, for a second transaction of its step. */
export const LOCK_BROADCAST_AGAIN = `
select id, organization_id as "organizationId" from broadcasts where id = $1 and step_at is not null
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
