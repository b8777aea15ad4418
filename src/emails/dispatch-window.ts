import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DISPATCHED, toDispatched, type DispatchedEmail, type DispatchedRow } from './dispatched-email.js';

/** Of several who feed at the same time one does, by this advisory lock; the number is arbitrary. */
const FEEDING = 7_219_533_005;

/** However many organizations are active, each gets this many places, so that none stands still. */
const SMALLEST_SHARE = 5;

/** Where the line begins anew once it is empty, long before the numbers that a queue can order by are used up. */
const LONG_LINE = 1_000_000;

/**
 * Fills the window. Organizations that wait are found by one descent into the index each, so that a round costs the
 * same whatever the length of the backlog; what each is given starts with its longest due. Who has least in the queue
 * is served first; where there are more organizations than places, the lot decides who is next.
 * Emails leave the queue in the order of their places. Those of one organization stand in line behind each other, so
 * that none overtakes an earlier one; an organization that comes begins at the front of the line, where the next one
 * that waits for a worker stands, neither before those that wait already nor behind all they sent.
 * $1 places in the window, $2 epoch.
 */
const FEED = `
with recursive turn as materialized (
  select pg_try_advisory_xact_lock(${FEEDING}) as ours
), state as (
  select epoch, epoch = $2::uuid as known, front from dispatch_window
), waiting as (
  (select organization_id, due_at from pending_emails
    where dispatched_at is null and (select ours from turn) and (select known from state)
    order by organization_id, due_at limit 1)
  union all
  select following.* from waiting w, lateral (
    select organization_id, due_at from pending_emails
     where dispatched_at is null and organization_id > w.organization_id
     order by organization_id, due_at limit 1) following
), held as (
  select organization_id, count(*)::integer as emails, max(place) as last,
         min(place) filter (where lease_token is null) as next
    from pending_emails
   where dispatched_at is not null and (select ours from turn) and (select known from state) group by organization_id
), line as (
  select case when count(held) = 0 and state.front > ${LONG_LINE} then 0
              else greatest(state.front, coalesce(min(held.next), max(held.last))) end as front
    from state left join held on true group by state.front
), room as (
  select greatest(${SMALLEST_SHARE}, $1::integer / greatest(1, count(distinct organization_id)))::integer as share,
         greatest(0, $1::integer - (select coalesce(sum(emails), 0) from held))::integer as places
    from (select organization_id from waiting where due_at <= now() union all select organization_id from held) active
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
  update pending_emails p set dispatched_at = now(), place = chosen.place from chosen where p.email_id = chosen.email_id
  returning ${DISPATCHED}, p.place, chosen.turn
), shared as (
  update dispatch_window w set share = room.share, front = line.front from room, line, turn, state
   where turn.ours and state.known and (w.share, w.front) <> (room.share, line.front)
)
select turn.ours, state.epoch, state.known,
       (select ceil(extract(epoch from min(due_at) - now()) * 1000)::float8 from waiting) as "nextDueInMs",
       coalesce((select json_agg(moved order by turn) from moved), '[]') as fed
  from turn, state`;

interface FeedRow {
  ours: boolean;
  epoch: string;
  known: boolean;
  nextDueInMs: number | null;
  fed: DispatchedRow[];
}

/** What a round of feeding brought. */
export interface Feed {
  /** False when somebody else feeds at this moment. */
  readonly ours: boolean;
  /** False when the jobs are those of another time: `epoch` is that of Postgres. */
  readonly known: boolean;
  readonly epoch: string;
  /** Emails that now count as dispatched; those that go first come first. */
  readonly fed: readonly DispatchedEmail[];
  /** Milliseconds until an email that waits is due; zero or less when one is. Undefined when none waits. */
  readonly nextDueInMs?: number;
}

/** The emails that have a job: a bounded choice of those that are due. Any number of processes may call this. */
@Injectable()
export class DispatchWindow {
  constructor(private readonly database: Database) {}

  /** @param epoch what Redis holds; where Postgres holds another, nothing is fed */
  async feed(places: number, epoch: string): Promise<Feed> {
    const [row] = await this.database.prepared<FeedRow>('feed-emails', FEED, [places, epoch]);
    const { ours, known, nextDueInMs, fed } = row!;
    return {
      ours,
      known,
      epoch: row!.epoch,
      fed: fed.map(toDispatched),
      ...(nextDueInMs !== null && { nextDueInMs }),
    };
  }

  /** What Redis should hold. */
  async epoch(): Promise<string> {
    const [row] = await this.database.query<{ epoch: string }>('select epoch from dispatch_window');
    return row!.epoch;
  }

  /**
   * Redis lost the jobs: nothing counts as dispatched any more, and a new epoch begins. Emails that a worker holds
   * stay with it. Jobs that Redis has after all find another one's claim, so nothing is sent twice.
   * @returns the new epoch and how many emails lost their job, or undefined when somebody else has begun one
   */
  async beginEpoch(lost: string): Promise<{ epoch: string; emails: number } | undefined> {
    return this.database.transaction(async (sql) => {
      const [row] = await sql.query<{ epoch: string }>(
        'update dispatch_window set epoch = gen_random_uuid() where epoch = $1 returning epoch',
        [lost],
      );
      if (!row) return undefined;
      const requeued = await sql.query(
        `update pending_emails set dispatched_at = null, generation = generation + 1
          where email_id = any(array(
            select email_id from pending_emails where dispatched_at is not null and lease_token is null
             order by organization_id, dispatched_at for update skip locked))
          returning 1 as requeued`,
      );
      return { epoch: row.epoch, emails: requeued.length };
    });
  }
}
