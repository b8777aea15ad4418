import { dropEventPartitions, ensureEventPartitions } from '../../src/events/event-partitions.js';
import type { Database } from '../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

/** More than one statement may delete. */
const EVENTS = 12_000;
const FIRST_KEPT = new Date('2026-10-01T00:00:00.000Z');

let open: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
});
afterEach(() => open?.close());

const ID = `(left(lpad(to_hex(1000::bigint * n), 12, '0'), 8) || '-' || right(lpad(to_hex(1000::bigint * n), 12, '0'), 4)
  || '-7000-8000-000000000000')::uuid`;

/** Events of an edge whose clock began in 1970, and one of today. Each has two recipients. */
const STORE_EVENTS = `
insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
select ${ID}, ordinal, to_timestamp(n), 'opened', gen_random_uuid(), 1
  from (select n from generate_series(1, ${EVENTS}) n union all select extract(epoch from timestamptz '2026-11-28')::int) at (n)
 cross join generate_series(1, 2) as ordinal`;
const STORE_REPORTS = `
insert into delivery_events (id, occurred_at, organization_id, email_id, address_key, type)
select ${ID}, to_timestamp(n), gen_random_uuid(), gen_random_uuid(), 'ada@example.com', 'delivered'
  from generate_series(1, ${EVENTS}) n`;

/** Ends statements that delete as many rows as no time limit allows. */
async function limitDeletions(table: string, rows: number): Promise<void> {
  await database.query(
    `create function limit_${table}() returns trigger language plpgsql as $$
     begin if (select count(*) from gone) > ${rows} then raise 'planted' using errcode = '57014'; end if; return null; end $$`,
  );
  await database.query(
    `create trigger slow after delete on ${table} referencing old table as gone for each statement
       execute function limit_${table}()`,
  );
}

it('events of very wrong clocks are deleted in statements that each take a short time', async () => {
  await database.query(STORE_EVENTS);
  await database.query(STORE_REPORTS);
  await limitDeletions('events', 10_000);
  await limitDeletions('delivery_events', 10_000);
  await dropEventPartitions(database, FIRST_KEPT);
  expect(await database.query('select distinct occurred_at as at from events')).toEqual([
    { at: new Date('2026-11-28T00:00:00.000Z') },
  ]);
  expect(await database.query('select from delivery_events')).toEqual([]);
});

it('a month of which an edge with a clock ahead has left very many events gets no partition, and others do', async () => {
  await database.query(
    `insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
     select gen_random_uuid(), 1, timestamptz '2027-01-15', 'opened', gen_random_uuid(), 1 from generate_series(1, 200001)`,
  );
  await limitDeletions('events_default', 200_000);
  const months = ['2026_12', '2027_02'];
  const created = await ensureEventPartitions(database, new Date('2026-12-24T00:00:00.000Z'));
  expect(created.filter((name) => name.startsWith('events_'))).toEqual(months.map((month) => `events_${month}`));
  await database.query('delete from events where id in (select id from events limit 2)');
  expect(await ensureEventPartitions(database, new Date('2026-12-24T00:00:00.000Z'))).toEqual(['events_2027_01']);
});
