import {
  DISPATCHED_SINCE,
  FEW,
  LONG_LINE,
  LONGEST_LINE,
  nextDispatchedSince,
  nextUnclaimedSince,
  REACH,
} from './dispatch-line.js';
import { DISPATCHED } from './dispatched-email.js';

/**
 * Of several who feed at the same time one does, by this advisory lock; the number is arbitrary. Asked for by a
 * statement of its own: what it looks at must be what whoever had the lock before has left.
 */
export const TAKE_TURN = 'select pg_try_advisory_xact_lock(7219533005) as ours';

/** However many organizations are active, each gets this many places, so that none stands still. */
const SMALLEST_SHARE = 5;

/** Redis takes them in a fraction of its deadline; should it not, as many places go back. */
const FED_AT_ONCE = 2_000;

/**
 * Fills the window. Organizations that wait are found by one descent into the index each, so that a round costs the
 * same whatever the length of the backlog; what each is given starts with its longest due. Who has least in the queue
 * is served first; where there are more organizations than places, the lot decides who is next.
 * Emails leave the queue in the order of their places. Those of one organization stand in line behind each other, so
 * that none overtakes an earlier one; an organization that comes begins at the front of the line, where the next one
 * that waits for a worker stands, neither before those that wait already nor behind all they sent.
 * A line that has become long begins anew: then the front goes back, and the emails that are in Redis under places of
 * before are given new ones, with the next round; their old jobs find nothing to do.
 * While the window holds a quarter more than it should, nobody goes in unless the feeder brings him.
 * What is chosen is named as an array: each is found by one descent into the key, also where Postgres takes the table
 * for empty and would walk the whole key, dead rows and all.
 * $1 places in the window, $2 epoch.
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
), held as (
  select organization_id, count(*)::integer as emails, max(place) as reached,
         max(place) filter (where unclaimed) as last, min(place) filter (where unclaimed) as next,
         count(*) filter (where unclaimed) as unclaimed, count(*) filter (where unclaimed and astray) as astray,
         min(dispatched_at) as since, min(dispatched_at) filter (where unclaimed) as unclaimed_since
    from (
      select organization_id, dispatched_at, lease_token is null as unclaimed, place > state.front + ${REACH} as astray,
             case when place <= state.front + ${REACH} then place end as place
        from pending_emails, state
       where dispatched_at >= ${DISPATCHED_SINCE} and (select known from state)
       order by dispatched_at offset 0) dispatched
   group by organization_id
), sums as (
  select coalesce(sum(emails), 0)::integer as emails, coalesce(sum(unclaimed), 0) as unclaimed,
         coalesce(sum(astray), 0) as astray, min(next) as next, max(reached) as reached,
         min(since) as since, min(unclaimed_since) as unclaimed_since from held
), line as (
  select greatest(state.front, coalesce(sums.next, sums.reached)) as front,
         state.front > ${LONGEST_LINE} or (state.front > ${LONG_LINE} and sums.unclaimed <= ${FEW}) as is_over
    from state, sums
), room as (
  select greatest(${SMALLEST_SHARE}, $1::integer / greatest(1, count(distinct organization_id)))::integer as share,
         case when line.is_over or sums.astray > 0 then 0
              else least(${FED_AT_ONCE}, greatest(0, $1::integer - sums.emails)) end as places,
         sums.emails > $1::integer + $1::integer / 4 as is_overfull
    from sums, line left join (
      select organization_id from waiting where due_at <= now() union all select organization_id from held) active on true
   group by line.is_over, sums.astray, sums.emails
), eligible as (
  select taken.email_id, w.organization_id,
         coalesce(held.emails, 0) + taken.ahead as turn,
         greatest(line.front, held.last + 1) + taken.ahead as place
    from waiting w
    cross join room
    cross join line
    left join held on held.organization_id = w.organization_id
    cross join lateral (
      select email_id, row_number() over (order by due_at)::integer - 1 as ahead from (
        select email_id, due_at from pending_emails
         where organization_id = w.organization_id and dispatched_at is null and due_at <= now()
         order by due_at limit greatest(0, least(room.share - coalesce(held.emails, 0), room.places))
           for update skip locked) unlocked) taken
   where w.due_at <= now() and room.places > 0
), chosen as (
  select email_id, turn, place from eligible order by turn, random() limit (select places from room)
), moved as (
  update pending_emails p set dispatched_at = now(), place = chosen.place from chosen
   where p.email_id = chosen.email_id and p.email_id = any(array(select email_id from chosen))
  returning ${DISPATCHED}, p.place, chosen.turn
), returned as (
  update pending_emails p set dispatched_at = null, generation = p.generation + 1
   where email_id = any(array(
     select email_id from pending_emails, state
      where (select astray > 0 from sums) and dispatched_at >= ${DISPATCHED_SINCE}
        and lease_token is null and place > state.front + ${REACH}
      order by email_id for update of pending_emails skip locked))
), bounds as (
  select case when room.is_overfull then 0 else room.share end as share,
         case when line.is_over then 0 else line.front end as front,
         ${nextDispatchedSince('sums.since')} as dispatched_since,
         ${nextUnclaimedSince('sums.unclaimed_since')} as unclaimed_since,
         case when sums.emails = 0 then interval '5 s' else interval '1 s' end as every
    from room, line, sums
), shared as (
  update dispatch_window w
     set share = b.share, front = b.front, dispatched_since = b.dispatched_since, unclaimed_since = b.unclaimed_since
    from bounds b, state
   where state.known and (
     (w.share, w.front) <> (b.share, b.front) or w.unclaimed_since is null
     or b.unclaimed_since not between w.unclaimed_since and w.unclaimed_since + b.every)
)
select state.epoch, state.known, (select is_over or astray > 0 from line, sums) as "beginsAnew",
       (select ceil(extract(epoch from min(due_at) - now()) * 1000)::float8 from waiting) as "nextDueInMs",
       coalesce((select json_agg(moved order by turn) from moved), '[]') as fed
  from state`;
