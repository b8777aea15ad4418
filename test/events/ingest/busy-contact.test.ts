import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { Database, Transaction } from '../../../src/platform/database/database.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import { ALL_RULES_OFF } from '../../../src/events/ingest/rules/hit.js';
import { sendMail } from '../../roles/flusher/sent-mail.js';
import { pagesRead } from '../../support/pages-read.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { countersOfEvents, storedCounters } from './engagement-counters.js';

const EMAILS = 300;
const WINDOWS = { ...ALL_RULES_OFF, ENGAGEMENT_BURST_MS: 2_000, ENGAGEMENT_ALL_LINKS_MS: 10_000 };
const AT = Date.now() - 3_600_000;

let openDatabase: OpenTestDatabase;
let database: Database;
let trackingIds: string[];

/** Emails that all went to one contact, as to the test mailbox of a busy organization. */
beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  const { emails } = await sendMail(database, [1]);
  const rows = await database.query<{ trackingId: string }>(
    `insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats)
     select gen_random_uuid(), 'busy-' || n, organization_id, campaign_id, contact_ids, 'sent', true
       from emails, generate_series(1, $2::integer) n where id = $1 returning tracking_id as "trackingId"`,
    [emails[0]!.id, EMAILS],
  );
  trackingIds = rows.map(({ trackingId }) => trackingId);
});
afterEach(() => openDatabase.close());

/** A click on one link of each email. @param after milliseconds */
function clicks(linkPosition: number, after: number): EngagementEvent[] {
  return trackingIds.map((emailTrackingId) => {
    const url = `https://shop.example/${linkPosition}`;
    return { type: 'clicked', id: uuidV7(AT + after), emailTrackingId, linkPosition, url };
  });
}

const flush = (events: readonly EngagementEvent[], by: Database = database) =>
  flushBatch(
    by,
    events.map((event) => ({ event, streamEntryId: '1-1' })),
    WINDOWS,
  );

/** Counts the pages that look-ups of stored events read. */
function counting(pages: number[]): Database {
  const count = async (sql: Transaction, text: string, values: readonly unknown[] = []): Promise<void> => {
    if (/(from|join) events v\b/.test(text) && !text.includes('update')) pages.push(await pagesRead(sql, text, values));
  };
  const transaction = <Result>(work: (sql: Transaction) => Promise<Result>): Promise<Result> =>
    database.transaction((sql) =>
      work({
        ...sql,
        prepared: async <Row extends object>(name: string, text: string, values: readonly unknown[]) => {
          await count(sql, text, values);
          return sql.prepared<Row>(name, text, values);
        },
        query: async <Row extends object>(text: string, values?: readonly unknown[]) => {
          await count(sql, text, values);
          return sql.query<Row>(text, values);
        },
      }),
    );
  return Object.assign(Object.create(database) as Database, { transaction });
}

/** Many other contacts, as in any large table: else Postgres reads all events of the time for whatever it looks up. */
async function addOthers(): Promise<void> {
  await database.query(
    `insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
     select gen_random_uuid(), 1, to_timestamp($1::float8 / 1000) + n % 60000 * interval '1 ms', 'opened',
            gen_random_uuid(), 1000000 + n from generate_series(1, 100000) n`,
    [AT],
  );
  await database.query('analyze events');
}

it('reads the hits of a contact once, however many of its emails are clicked at the same time', async () => {
  for (const times of [0, 1, 2, 3]) {
    await flush(trackingIds.map((emailTrackingId) => ({ type: 'opened', id: uuidV7(AT + times), emailTrackingId })));
  }
  await flush(clicks(0, 0));
  await flush([...clicks(1, 500), ...clicks(0, 60_000)]);
  await addOthers();
  const pages: number[] = [];
  await flush(clicks(2, 1_000), counting(pages));
  const machines = await database.query('select from emails where machine_clicks = 3');
  expect(machines).toHaveLength(EMAILS);
  // At most one for each event of the contact. A look-up for each email would read more than forty pages each.
  expect(pages).toHaveLength(2);
  expect(Math.max(...pages)).toBeLessThan(8 * EMAILS);
  await database.query('delete from events where contact_id > 1000000');
  expect(await storedCounters(database)).toEqual(await countersOfEvents(database));
});
