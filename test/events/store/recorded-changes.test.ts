import { isDeepStrictEqual } from 'node:util';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EventBudget } from '../../../src/events/ingest/event-budget.js';
import { flushEntries } from '../../support/flush-entries.js';
import { recordVerdicts } from '../../../src/events/store/record-verdicts.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import type { StoreWriter } from '../../../src/events/store/store-writer.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { TrailingGroup } from '../../../src/events/stream/trailing-group.js';
import { PlanLimits } from '../../../src/platform/config/plan-limits.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { clicked, opened, sendMail } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { startWriter } from './writers.js';

let pipeline: EventPipeline;
let stub: StubStore;
let email: string;
const writers: StoreWriter[] = [];

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  email = (await sendMail(pipeline.database, [1])).emails[0]!.trackingId;
  stub = await StubStore.start();
});

afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.stop()));
  await stub.stop();
  await pipeline.close();
});

function hits(count: number): EngagementEvent[] {
  return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? opened(email) : clicked(email, 3)));
}

describe('changes and copies for the event store', () => {
  it('stores a hit beyond the limit of its plan as a sum, as Postgres does', async () => {
    const events = hits(6);
    writers.push(startWriter(pipeline, stub.url));
    await pipeline.append(...events);
    await eventually(() => stub.rows.size === 6);
    const eventBudget = new EventBudget(new PlanLimits(new Map(), 2), { warn: () => Promise.resolve() });
    const packed = packEntry(events.map(encodeEvent));
    await flushEntries(pipeline.database, [{ id: '1-1', packed, raw: packed, deliveries: 1 }], { eventBudget });
    const kept = ['opened', 'clicked', 'summed', 'summed', 'summed', 'summed'];
    await eventually(() =>
      isDeepStrictEqual(
        events.map(({ id }) => stub.rows.get(id)?.type),
        kept,
      ),
    );
    const sums = events.slice(2).map(({ id }) => stub.rows.get(id)!);
    expect(sums.map((row) => [row.opens, row.clicks, row.link_position])).toEqual([
      [1, 0, -1],
      [0, 1, -1],
      [1, 0, -1],
      [0, 1, -1],
    ]);
  });

  it('lets new events pass a long list of changes', async () => {
    const [event] = hits(1);
    const change = { id: event!.id, email, type: 'opened', linkPosition: null, verdict: 4 as const };
    const changes = Array.from({ length: 1_000 }, () => change);
    writers.push(startWriter(pipeline, stub.url));
    await eventually(() => new TrailingGroup(pipeline.redis).exists());
    stub.delayMs = 100;
    await pipeline.database.transaction(async (sql) => {
      for (let batch = 0; batch < 40; batch++) await recordVerdicts(sql, changes);
    });
    await eventually(async () => (await changesLeft()) < 40_000);
    const later = opened(email);
    await pipeline.append(later);
    await eventually(() => stub.rows.has(later.id));
    expect(await changesLeft()).toBeGreaterThan(0);
    stub.delayMs = 0;
    await eventually(async () => (await changesLeft()) === 0);
  });

  it('copies, and applies changes, although each write takes longer than the idle timeout of transactions', async () => {
    const events = hits(10);
    const packed = packEntry(events.map(encodeEvent));
    await flushEntries(pipeline.database, [{ id: '1-1', packed, raw: packed, deliveries: 1 }]);
    // For new connections: the same timeout as in production, but shorter.
    const [row] = await pipeline.database.query<{ name: string }>('select current_database() as name');
    await pipeline.database.query(`alter database "${row!.name}" set idle_in_transaction_session_timeout = '200ms'`);
    const impatient = await EventPipeline.open(pipeline.redisUrl, pipeline.databaseUrl);
    try {
      stub.delayMs = 400;
      writers.push(startWriter(impatient, stub.url));
      await eventually(async () => stub.rows.size === 10 && (await storeHasAll(pipeline.database)));
      const change = { id: events[0]!.id, email, type: 'opened', linkPosition: null, verdict: 4 as const };
      await pipeline.database.transaction((sql) => recordVerdicts(sql, [change]));
      await eventually(async () => (await changesLeft()) === 0);
      expect([stub.rows.size, stub.rows.get(events[0]!.id)?.verdict]).toEqual([10, 4]);
      await writers.pop()!.stop();
    } finally {
      await impatient.close();
    }
  });
});

async function changesLeft(): Promise<number> {
  const [row] = await pipeline.database.query<{ left: number }>(
    'select count(*)::int as left from event_store_changes',
  );
  return row!.left;
}
