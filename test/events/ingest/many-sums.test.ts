import type { QueryResultRow } from 'pg';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import { BATCH_EVENTS } from '../../../src/events/ingest/flush-entries.js';
import { flushEntries } from '../../support/flush-entries.js';
import { ALL_RULES_OFF } from '../../../src/events/ingest/rules/hit.js';
import type { Database, Transaction } from '../../../src/platform/database/database.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { sendMail, summed, type SentMail } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const SUMS = 3_000;
const HOUR_MS = 3_600_000;
const BURST = { ...ALL_RULES_OFF, ENGAGEMENT_BURST_MS: 2_000 };
const FIRST = Date.UTC(2026, 10, 20);

let open: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
});
afterEach(() => open?.close());

/** A database that records how many rows its longest result has. */
function recording(longest: { rows: number }): Database {
  const recorded = <Row>(rows: Row[]): Row[] => {
    longest.rows = Math.max(longest.rows, rows.length);
    return rows;
  };
  const wrapped = (sql: Transaction): Transaction => ({
    query: async <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) =>
      recorded(await sql.query<Row>(text, values)),
    prepared: async <Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]) =>
      recorded(await sql.prepared<Row>(name, text, values)),
    copyIn: (text, rows) => sql.copyIn(text, rows),
  });
  const transaction = <Result>(work: (sql: Transaction) => Promise<Result>): Promise<Result> =>
    database.transaction((sql) => work(wrapped(sql)));
  return { transaction } as Database;
}

it('the next first click of an email with very many sums is found without reading them all', async () => {
  const { emails } = await sendMail(database, [1]);
  const { id, trackingId } = emails[0]!;
  const click = (at: number, linkPosition: number) => ({
    streamEntryId: '1-1',
    event: {
      ...{ type: 'clicked' as const, id: uuidV7(at), emailTrackingId: trackingId },
      ...{ linkPosition, url: `https://shop.example/${linkPosition}` },
    },
  });
  await flushBatch(database, [click(FIRST, 0)], BURST);
  const sums = Array.from({ length: SUMS }, (_, index) => uuidV7(FIRST + HOUR_MS + index * 1_000));
  await database.query(
    `insert into event_sums (id, email_id, opens, clicks) select sum, $2, 0, 1 from unnest($1::uuid[]) as sum`,
    [sums, id],
  );
  await database.query('update emails set clicks = clicks + $2 where id = $1', [id, SUMS]);
  const longest = { rows: 0 };
  await flushBatch(recording(longest), [click(FIRST + 500, 1), click(FIRST + 1_000, 2)], BURST);
  const [email] = await database.query<{ at: Date }>('select first_click_at as at from emails');
  expect(email!.at).toEqual(new Date(FIRST + HOUR_MS));
  expect(longest.rows).toBeLessThan(100);
});

describe('sums of emails with many links', () => {
  const EMAILS = 25;
  const LINKS = 500;
  let emails: SentMail['emails'];

  beforeEach(async () => {
    ({ emails } = await sendMail(
      database,
      Array.from({ length: EMAILS }, () => 1),
    ));
    await database.query(
      `insert into email_links (email_id, urls)
       select id, array(select 'https://shop.example/' || link from generate_series(1, $1::int) link) from emails`,
      [LINKS],
    );
  });

  /** Stores one sum for each email, and returns how many rows the longest result has. */
  async function flush(clicks: readonly number[]): Promise<number> {
    const longest = { rows: 0 };
    const packed = packEntry(emails.map(({ trackingId }) => encodeEvent(summed(trackingId, 0, clicks))));
    const { stored } = await flushEntries(recording(longest), [{ id: '1-1', packed, raw: packed, deliveries: 1 }]);
    expect(stored).toBe(EMAILS);
    return longest.rows;
  }

  it('read only the links that were clicked', async () => {
    expect(await flush([2])).toBeLessThanOrEqual(EMAILS);
    expect(await database.query('select url, clicks::int from campaign_links')).toEqual([
      { url: 'https://shop.example/1', clicks: 2 * EMAILS },
    ]);
  });

  it('make no row for a link that was not clicked, in Postgres either', async () => {
    const { transaction } = recording({ rows: 0 });
    let plan = '';
    const explaining: Database['transaction'] = (work) =>
      transaction((sql) =>
        work({
          ...sql,
          query: async (text, values) => {
            if (text.includes('email_links'))
              plan = JSON.stringify(await sql.query(`explain (analyze, format json) ${text}`, values));
            return sql.query(text, values);
          },
        }),
      );
    const packed = packEntry(emails.map(({ trackingId }) => encodeEvent(summed(trackingId, 0, [2]))));
    const entry = { id: '1-1', packed, raw: packed, deliveries: 1 };
    await flushEntries({ transaction: explaining } as Database, [entry]);
    const rows = [...plan.matchAll(/"Actual Rows":(\d+)/g)].map(([, count]) => Number(count));
    expect(rows.length).toBeGreaterThan(0);
    expect(Math.max(...rows)).toBeLessThanOrEqual(EMAILS);
  });

  it('share a transaction only as long as they have no more links than it may have events', async () => {
    expect(await flush(Array.from({ length: LINKS }, () => 1))).toBeLessThanOrEqual(BATCH_EVENTS);
    const [counted] = await database.query(
      'select count(*)::int as links, sum(clicks)::int as clicks from campaign_links',
    );
    expect(counted).toEqual({ links: LINKS, clicks: EMAILS * LINKS });
  });
});
