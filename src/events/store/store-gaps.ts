import type { Database, Sql } from '../../platform/database/database.js';
import { firstUuidV7, timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { WAIT_FOR_STORE, type EventStore } from './event-store.js';
import { POSTGRES_REVISION, type StoreRow } from './store-row.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

/** Events per transaction and insert. */
const PAGE = 10_000;
const HOUR_MS = 3_600_000;

const BEGIN = `insert into event_store (id) values (1) on conflict do nothing returning id`;

/**
 * Hours are added in pieces of this length. A piece without an event is skipped, because an edge with a wrong clock
 * writes events of other centuries: the hours in between are millions.
 */
const PIECE_MS = 24 * HOUR_MS;

const LAST_CAUGHT_UP = `select caught_up_at - interval '1 day' as "from" from event_store`;

/** The first and the last event of all tables that is not before $1, with the time $2. All keys begin with the ID. */
const SPAN = [
  ...firstAndLast('events', 'id >= $1 and occurred_at >= $2'),
  ...firstAndLast('event_sums', 'id >= $1'),
  ...firstAndLast('delivery_events', 'id >= $1 and occurred_at >= $2'),
].join(' union all ');

/** $1 and $2: the first and the last hour, in milliseconds. */
const ADD_RANGE = `
insert into event_store_gaps (hour)
select generate_series(to_timestamp($1 / 1000.0), to_timestamp($2 / 1000.0), interval '1 hour')
on conflict (hour) do update set after = null`;

/** $1: hours in milliseconds. */
const ADD_HOURS = `
insert into event_store_gaps (hour) select to_timestamp(hour / 1000.0) from unnest($1::float8[]) as hour
on conflict (hour) do update set after = null`;

const NEXT = `
select extract(epoch from hour)::float8 * 1000 as hour, after from event_store_gaps
 order by hour limit 1 for update skip locked`;

/** Events of one hour by ID. $1 and $2 the IDs before and after them, $3 and $4 their times. */
const ROWS = `
select * from (
  (select v.id, e.tracking_id as email, v.type, v.verdict, v.link_position as "linkPosition", null as "smtpStatus",
          0::float8 as opens, 0::float8 as clicks, 0::float8 as "machineOpens", 0::float8 as "machineClicks"
     from events v join emails e on e.id = v.email_id
    where v.ordinal = 1 and v.id > $1 and v.id < $2 and v.occurred_at >= $3 and v.occurred_at < $4
      and e.contact_ids <> '{}' order by v.id limit ${PAGE})
  union all
  (select s.id, e.tracking_id, 'summed', 0, null, null,
          s.opens::float8, s.clicks::float8, s.machine_opens::float8, s.machine_clicks::float8
     from event_sums s join emails e on e.id = s.email_id
    where s.id > $1 and s.id < $2 and e.contact_ids <> '{}' order by s.id limit ${PAGE})
  union all
  (select d.id, e.tracking_id, d.type, 0, null, d.smtp_status, 0, 0, 0, 0
     from delivery_events d join emails e on e.id = d.email_id
    where d.id > $1 and d.id < $2 and d.occurred_at >= $3 and d.occurred_at < $4
      and e.contact_ids <> '{}' order by d.id limit ${PAGE})
) rows order by id limit ${PAGE}`;

/**
 * Records which hours have to be copied before the store is complete: all hours for a new store; after a loss of the
 * stream, the hours since the store was last complete.
 */
export async function recordMissing(database: Database): Promise<void> {
  await database.transaction(async (sql) => {
    const isNew = (await sql.query(BEGIN)).length > 0;
    const [lost] = isNew ? [] : await sql.query<{ from: Date }>(LAST_CAUGHT_UP);
    let span = await spanFrom(sql, lost?.from.getTime() ?? 0);
    if (span === undefined) return;
    // Allows for differences between the clocks of this process and of the edges.
    await addHours(sql, Date.now(), Date.now() + HOUR_MS);
    while (span !== undefined) {
      const end: number = span.first + PIECE_MS;
      await addHours(sql, span.first, Math.min(span.last, end - 1));
      span = await spanFrom(sql, end);
    }
  });
}

/** @returns the times of the first and the last event of all tables from a time on, in milliseconds */
async function spanFrom(sql: Sql, from: number): Promise<{ first: number; last: number } | undefined> {
  const rows = await sql.query<{ id: string }>(SPAN, [lowestId(from), new Date(from)]);
  const times = rows.map(({ id }) => timeOfUuidV7(id));
  return times.length === 0 ? undefined : { first: Math.min(...times), last: Math.max(...times) };
}

async function addHours(sql: Sql, first: number, last: number): Promise<void> {
  await sql.query(ADD_RANGE, [first - (first % HOUR_MS), last]);
}

/** @param hours in milliseconds since the Unix epoch */
export async function recordHours(sql: Sql, hours: ReadonlySet<number>): Promise<void> {
  if (hours.size > 0) await sql.query(ADD_HOURS, [[...hours]]);
}

export async function gapHours(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>('select count(*)::integer as count from event_store_gaps');
  return row!.count;
}

/** Copies one page of the oldest hour. @returns the number of events; undefined when no hour is left */
export function copyPage(database: Database, store: EventStore): Promise<number | undefined> {
  return database.transaction(async (sql) => {
    await sql.query(WAIT_FOR_STORE);
    const [gap] = await sql.query<{ hour: number; after: string | null }>(NEXT);
    if (!gap) return undefined;
    const [start, end] = [gap.hour, gap.hour + HOUR_MS];
    const rows = await sql.query<Omit<StoreRow, 'at' | 'revision'>>(ROWS, [
      gap.after ?? lowestId(start),
      lowestId(end),
      new Date(start),
      new Date(end),
    ]);
    await store.insert(rows.map((row) => ({ ...row, at: timeOfUuidV7(row.id), revision: POSTGRES_REVISION })));
    const hour = new Date(start);
    if (rows.length < PAGE) await sql.query('delete from event_store_gaps where hour = $1', [hour]);
    else await sql.query('update event_store_gaps set after = $2 where hour = $1', [hour, rows.at(-1)!.id]);
    return rows.length;
  });
}

/** @param condition SQL condition on the rows */
function firstAndLast(table: string, condition: string): string[] {
  return ['', 'desc'].map((order) => `(select id from ${table} where ${condition} order by id ${order} limit 1)`);
}

/** An ID below every ID of this time and later. @param at at most the largest time of a UUIDv7 counts */
function lowestId(at: number): string {
  return firstUuidV7(Math.min(at, 2 ** 48 - 1)).slice(0, 13) + NIL_UUID.slice(13);
}
