import type { QueryResultRow } from 'pg';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { ContactSearch } from '../../src/contacts/contact-search.js';
import { ContactTimelines } from '../../src/contacts/contact-timeline.js';
import { Contacts } from '../../src/contacts/contacts.js';
import { Database } from '../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { noOldEvents } from '../events/store/no-old-events.js';

const PAGE = 1_000;

interface PlanNode {
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The queries of one statement, and how the server ran them. */
class ExplainingDatabase extends Database {
  readonly plans: PlanNode[] = [];

  override async query<Row extends QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const [row] = await super.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, timing off, format json) ${sql}`,
      values,
    );
    this.plans.push(row!['QUERY PLAN'][0].Plan);
    return super.query<Row>(sql, values);
  }
}

let openDatabase: OpenTestDatabase;
let database: ExplainingDatabase;

beforeAll(async () => {
  openDatabase = await openTestDatabase();
  database = new ExplainingDatabase(openDatabase.database.pool);
});
afterAll(() => openDatabase.close());

function mostRowsRemoved({ Plans = [], 'Rows Removed by Join Filter': removed = 0 }: PlanNode): number {
  return Math.max(removed, ...Plans.map(mostRowsRemoved));
}

it('reads a page of contacts with their campaigns without comparing each contact with all others', async () => {
  const organization = uuidV7(Date.now());
  const sql = openDatabase.database;
  await sql.query(`insert into organizations (id, name, plan) values ($1, 'Many', 'free')`, [organization]);
  await sql.query(
    `insert into campaigns (id, organization_id, name, created_at)
     select gen_random_uuid(), $1, 'Campaign ' || n, now() from generate_series(1, 50) n`,
    [organization],
  );
  await sql.query(
    `with made as (
       insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
       select $1, 'reader' || n || '@example.com', 'reader' || n || '@example.com', now(), now() from generate_series(1, $2) n
       returning id)
     insert into contact_campaigns (contact_id, campaign_id)
     select made.id, campaign.id from made
       cross join lateral (select id from campaigns where organization_id = $1 order by id offset made.id % 40 limit 2) campaign`,
    [organization, 3 * PAGE],
  );
  await sql.query('analyze contacts, contact_campaigns, campaigns');
  const contacts = new Contacts(
    database,
    new ContactSearch(database),
    new ContactTimelines(database, noOldEvents(database)),
  );
  const { items } = await contacts.list(organization, '', { limit: PAGE });
  expect(items).toHaveLength(PAGE);
  expect(items.every(({ campaigns }) => campaigns.length === 2)).toBe(true);
  expect(database.plans).toHaveLength(1);
  expect(mostRowsRemoved(database.plans[0]!)).toBeLessThan(PAGE);
});
