import { ownProvidersExist } from '../../organizations/providers/own-providers-exist.sql.js';
import { millisecondsUntil } from '../../platform/database/milliseconds-until.js';
import {
  DISPATCHED_SINCE,
  SHORT_QUEUE,
  RESTARTED_WHEN_SHORT_AT,
  ALWAYS_RESTARTED_AT,
  nextDispatchedSince,
  nextUnclaimedSince,
  MAX_DISTANCE,
} from './queue-positions.sql.js';
import { DISPATCHED } from './dispatched-email.js';

/**
 * An advisory lock lets only one process feed at a time; the number is arbitrary. A separate statement, so that the
 * next one sees the commits of the previous lock holder.
 */
export const TRY_FEED_LOCK = 'select pg_try_advisory_xact_lock(7219533005) as acquired';

/** Each active organization gets at least this many slots, so that none starves. */
const MIN_SHARE = 5;

/** Redis accepts this many jobs well within its deadline; if it fails, only these emails have to be returned. */
const MAX_FED = 2_000;
/** The same for organizations with their own providers, beside the others. */
const MAX_FED_APART = 1_000;

/**
 * Fills the window. One index lookup finds each waiting organization, so the cost of a round does not depend on the
 * size of the backlog. Each organization gets slots for its longest due emails first. Organizations with the fewest
 * queued emails come first. If there are more organizations than slots, the choice is random. Emails leave the queue in
 * position order. Emails of one organization get consecutive positions, so none overtakes an earlier one. A new
 * organization starts at the front: the position of the next unclaimed email. It neither overtakes those already queued
 * nor waits behind everything they sent. When positions grow too large, they restart: the front moves back, and the
 * next round gives queued emails new positions. Their old jobs become no-ops. An email that is locked gets its new
 * position later, and holds up no other mail meanwhile. A paused organization gets no slot, a slowed-down one a slot
 * per interval. While the window holds 25 % more than it should, only the feeder queues emails. Mail of organizations
 * with their own providers takes no slot from others, because it may wait for these for hours: each gets its share of a
 * window apart, whatever that holds in all. Nor does it keep the front where it waits: while no other mail waits, the
 * front is the oldest email of the organization that is furthest ahead. Behind all mail that waits for own providers, a
 * new organization would be behind jobs that come back again and again. An email whose lease has expired takes no slot:
 * its worker no longer works on it. Chosen IDs are passed as an array, so each is one key lookup. Otherwise Postgres,
 * with statistics of an empty table, would scan the whole key including dead rows. $1 window size, $2 epoch, $3
 * interval of slowed-down organizations in milliseconds.
 */
export const FEED = `
with recursive state as materialized (
  select epoch, epoch = $2::uuid as known, share, front, dispatched_since, unclaimed_since from dispatch_window
), waiting as (
  (select organization_id, due_at from pending_emails
    where dispatched_at is null and (select known from state)
    order by organization_id, due_at limit 1)
  union all
  select following.* from waiting w, lateral (
    select organization_id, due_at from pending_emails
     where dispatched_at is null and organization_id > w.organization_id
     order by organization_id, due_at limit 1) following
), ready as (
  select w.organization_id, greatest(w.due_at, g.paced_until) as due_at, g.state = 'slowed' as slowed,
         ${ownProvidersExist('w.organization_id')} as apart
    from waiting w left join sending_guards g on g.organization_id = w.organization_id and g.state in ('slowed', 'paused')
   where g.state is distinct from 'paused'
), queued as (
  select organization_id, ${ownProvidersExist('dispatched.organization_id')} as apart,
         count(*) filter (where in_work)::integer as emails, min(place) filter (where in_work) as oldest,
         max(place) filter (where unclaimed) as last, min(place) filter (where unclaimed) as next,
         count(*) filter (where unclaimed) as unclaimed, count(*) filter (where unclaimed and too_far) as too_far,
         min(dispatched_at) as since, min(dispatched_at) filter (where unclaimed) as unclaimed_since
    from (
      select organization_id, dispatched_at, lease_token is null as unclaimed,
             lease_token is null or lease_until >= now() as in_work, place > state.front + ${MAX_DISTANCE} as too_far,
             case when place <= state.front + ${MAX_DISTANCE} then place end as place
        from pending_emails, state
       where dispatched_at >= ${DISPATCHED_SINCE} and (select known from state)
       order by dispatched_at offset 0) dispatched
   group by organization_id
), sums as (
  select coalesce(sum(emails), 0)::integer as emails, coalesce(sum(emails) filter (where not apart), 0)::integer as counted,
         coalesce(sum(unclaimed), 0) as unclaimed, coalesce(sum(too_far), 0) as too_far,
         min(next) filter (where not apart) as next, max(oldest) as oldest,
         min(since) as since, min(unclaimed_since) as unclaimed_since from queued
), queue as (
  select greatest(state.front, coalesce(sums.next, sums.oldest)) as front,
         state.front > ${ALWAYS_RESTARTED_AT} or (state.front > ${RESTARTED_WHEN_SHORT_AT} and sums.unclaimed <= ${SHORT_QUEUE}) as restarts
    from state, sums
), returnable as materialized (
  select email_id from pending_emails, state
   where (select too_far > 0 from sums) and dispatched_at >= ${DISPATCHED_SINCE}
     and lease_token is null and place > state.front + ${MAX_DISTANCE}
   order by email_id for update of pending_emails skip locked
), restart as (
  select queue.restarts or exists (select from returnable) as feeds_nothing from queue
), active as (
  select organization_id, apart from ready where due_at <= now() union select organization_id, apart from queued
), free as (
  select apart, greatest(${MIN_SHARE}, $1::integer / greatest(1, count(organization_id)))::integer as share,
         case when restart.feeds_nothing then 0 when apart then ${MAX_FED_APART}
              else least(${MAX_FED}, greatest(0, $1::integer - sums.counted)) end as slots
    from sums cross join restart cross join (values (false), (true)) kinds (apart) left join active using (apart)
   group by apart, restart.feeds_nothing, sums.counted
), eligible as (
  select taken.email_id, w.organization_id, w.apart,
         coalesce(queued.emails, 0) + taken.ahead as turn,
         greatest(queue.front, queued.last + 1) + taken.ahead as place
    from ready w
    join free using (apart)
    cross join queue
    left join queued on queued.organization_id = w.organization_id
    cross join lateral (
      select email_id, row_number() over (order by due_at)::integer - 1 as ahead from (
        select email_id, due_at from pending_emails
         where organization_id = w.organization_id and dispatched_at is null and due_at <= now()
         order by due_at limit greatest(0, least(free.share - coalesce(queued.emails, 0), free.slots, case when w.slowed then 1 end))
           for update skip locked) unlocked) taken
   where w.due_at <= now() and free.slots > 0
), chosen as (
  select email_id, turn, place
    from free cross join lateral (
      select email_id, turn, place from eligible where eligible.apart = free.apart
       order by turn, random() limit free.slots) chosen
), moved as (
  update pending_emails p set dispatched_at = now(), place = chosen.place from chosen
   where p.email_id = chosen.email_id and p.email_id = any(array(select email_id from chosen))
  returning ${DISPATCHED}, p.place, chosen.turn
), paced as (
  update sending_guards g set paced_until = now() + $3::integer * interval '1 ms'
   where g.state = 'slowed' and g.organization_id in (select organization_id from chosen join eligible using (email_id))
), returned as (
  update pending_emails p set dispatched_at = null, generation = p.generation + 1
   where email_id = any(array(select email_id from returnable))
), bounds as (
  select case when sums.counted > $1::integer + $1::integer / 4 then 0 else free.share end as share,
         case when queue.restarts then 0 else queue.front end as front,
         ${nextDispatchedSince('sums.since')} as dispatched_since,
         ${nextUnclaimedSince('sums.unclaimed_since')} as unclaimed_since,
         case when sums.emails = 0 then interval '5 s' else interval '1 s' end as every
    from free, queue, sums
   where not free.apart
), shared as (
  update dispatch_window w
     set share = b.share, front = b.front, dispatched_since = b.dispatched_since, unclaimed_since = b.unclaimed_since
    from bounds b, state
   where state.known and (
     (w.share, w.front) <> (b.share, b.front) or w.unclaimed_since is null
     or b.unclaimed_since not between w.unclaimed_since and w.unclaimed_since + b.every)
)
select state.epoch, state.known, (select feeds_nothing from restart) as "restarted",
       (select ${millisecondsUntil('min(due_at)')} from ready) as "nextDueInMs",
       coalesce((select json_agg(moved order by turn) from moved), '[]') as fed
  from state`;
