import { Pool } from 'pg';
import { EventBudget } from '../../../src/events/ingest/event-budget.js';
import { flushBatch, type FlushResult } from '../../../src/events/ingest/flush-batch.js';
import { ALL_RULES_OFF } from '../../../src/events/ingest/rules/hit.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { PlanLimits } from '../../../src/platform/config/plan-limits.js';
import { Database } from '../../../src/platform/database/database.js';
import { createTestDatabase, type TestDatabase } from '../../support/services.js';
import { opened, readCounters, sendMail } from '../../roles/flusher/sent-mail.js';

const LIMIT = 10;
/** The start of a minute, so that all opens of a test are in it. */
const MINUTE = Math.floor(Date.now() / 60_000) * 60_000;

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;
let opens: (count: number) => EngagementEvent[];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url });
  database = new Database(pool);
  const { emails } = await sendMail(database, [1]);
  opens = (count) => Array.from({ length: count }, (_, at) => opened(emails[0]!.trackingId, MINUTE + at));
});

afterEach(async () => {
  await pool.end();
  await testDatabase.drop();
});

function flush(events: readonly EngagementEvent[], limit: number | undefined): Promise<FlushResult> {
  const budget =
    limit === undefined ? undefined : new EventBudget(new PlanLimits(new Map(), limit), { warn: async () => {} });
  return flushBatch(
    database,
    events.map((event) => ({ event, streamEntryId: '1-1' })),
    ALL_RULES_OFF,
    budget,
  );
}

/** Opens as the email counts them, and how many of them have a row of their own. */
async function counted(): Promise<[opens: number, rows: number]> {
  const { emailOpens, events } = await readCounters(database);
  return [emailOpens!, events!];
}

describe('an open that is delivered again counts once', () => {
  it('if the limit of its minute is reached', async () => {
    const first = opens(LIMIT);
    await flush(first, LIMIT);
    expect(await flush(first, LIMIT)).toMatchObject({ stored: 0, repeated: LIMIT });
    expect(await counted()).toEqual([10, 10]);
  });

  it('beside others beyond the limit', async () => {
    const first = opens(5);
    await flush(first, LIMIT);
    await flush(opens(10), LIMIT);
    expect(await counted()).toEqual([15, 10]);
    expect(await flush([...opens(3), ...first], LIMIT)).toMatchObject({ stored: 3, repeated: 5 });
    expect(await counted()).toEqual([18, 10]);
  });

  it('in one batch', async () => {
    const first = opens(LIMIT);
    expect(await flush([...first, ...first], LIMIT)).toMatchObject({ stored: LIMIT, repeated: LIMIT });
    expect(await counted()).toEqual([10, 10]);
  });

  it.each([1_000, undefined])('if it was beyond the limit, which is %s now', async (limit) => {
    const beyond = opens(5);
    await flush([...opens(LIMIT), ...beyond], LIMIT);
    expect(await flush([...beyond, ...opens(1)], limit)).toMatchObject({ stored: 1, repeated: 5 });
    expect(await counted()).toEqual([16, 11]);
  });

  it('if it was within a limit that is lower now', async () => {
    const last = opens(5);
    await flush([...opens(10), ...last], 1_000);
    expect(await flush(last, LIMIT)).toMatchObject({ stored: 0, repeated: 5 });
    expect(await counted()).toEqual([15, 15]);
  });
});

it('counts each minute alone, also when a batch has hits of two', async () => {
  await flush(opens(LIMIT), LIMIT);
  const next = opens(3).map((event) => opened(event.emailTrackingId, MINUTE + 60_000));
  await flush([...opens(2), ...next], LIMIT);
  expect(await counted()).toEqual([15, 13]);
});

it('records the use of each organization, also when a batch has hits of several', async () => {
  const [other] = (await sendMail(database, [1])).emails;
  const hits = Array.from({ length: 7 }, (_, at) => opened(other!.trackingId, MINUTE + at));
  await flush([...opens(6), ...hits], LIMIT);
  const uses = await database.query(
    `select e.id, u.used::int from budget_usage u join emails e using (organization_id)
      where u.budget = 'eventsPerEmailPerMinute' order by u.used`,
  );
  expect(uses).toEqual([
    { id: expect.any(String), used: 6 },
    { id: other!.id, used: 7 },
  ]);
});
