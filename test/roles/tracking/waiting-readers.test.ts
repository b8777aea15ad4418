import { randomBytes } from 'node:crypto';
import v8 from 'node:v8';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { AppendMetrics } from '../../../src/events/stream/append-metrics.js';
import { EventAppender } from '../../../src/events/stream/event-appender.js';
import type { EntryStore } from '../../../src/events/stream/entry-store.js';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { SigningKeys } from '../../../src/links/signing-keys.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { PlainHead } from '../../../src/platform/http/fast-path/request-head.js';
import { TrackingEdge } from '../../../src/roles/tracking/tracking-edge.js';
import { TrackingMetrics } from '../../../src/roles/tracking/tracking-metrics.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';
import { NO_HOSTS, NOTHING_BLOCKED, ownVerdicts } from './edge-server.js';

const MB = 1024 * 1024;
const keys = new SigningKeys([{ id: 1, secret: Buffer.alloc(32, 7) }]);
let stored: () => void;
let registry: Registry;
let appender: EventAppender;
let edge: TrackingEdge;

beforeEach(() => {
  jest.spyOn(v8, 'getHeapStatistics').mockReturnValue({ ...v8.getHeapStatistics(), heap_size_limit: 24 * MB });
  const responds = new Promise<void>((resolve) => (stored = resolve));
  const hung = { store: () => responds.then(() => 'spool'), close: () => Promise.resolve() } as unknown as EntryStore;
  registry = new Registry();
  appender = new EventAppender(hung, new AppendMetrics(registry), pino({ level: 'silent' }));
  const policy = { verdicts: ownVerdicts(), blocking: NOTHING_BLOCKED, hosts: NO_HOSTS, singlePerMinute: 60_000 };
  edge = new TrackingEdge(() => keys, appender, systemClock, new TrackingMetrics(registry), policy);
});

afterEach(async () => {
  stored();
  await appender.close();
  jest.restoreAllMocks();
});

/** Opens different emails, each over a connection of its own. @returns the number of responses so far */
function open(readers: number): () => number {
  let responses = 0;
  for (let reader = 0; reader < readers; reader++) {
    const url = `/api/t/o/${generateEmailTrackingId(keys, randomBytes(12))}`;
    const head = Buffer.from(`GET ${url} HTTP/1.1\r\nCookie: ${'c'.repeat(2_000)}\r\n\r\n`).toString('latin1');
    const connection = { buffer: new Array(100).fill(reader), send: () => void responses++ };
    edge.handle('GET', head.slice(4, 4 + url.length), connection, new PlainHead(head, {}));
  }
  return () => responses;
}

async function lost(): Promise<number> {
  const { values } = await registry.getSingleMetric('mailbeacon_events_appended_total')!.get();
  return values.find(({ labels }) => labels['outcome'] === 'lost')!.value;
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('while nothing can store events', () => {
  it('those of readers who have their response hold neither the request nor the connection', async () => {
    const before = heapBytes();
    const responses = open(5_000);
    await eventually(() => responses() === 5_000);
    expect((heapBytes() - before) / 5_000).toBeLessThan(600);
    expect(await lost()).toBe(0);
  });

  it('they take a quarter of the memory, and more are lost', async () => {
    const before = heapBytes();
    let readers = 0;
    for (; (await lost()) === 0 && readers < 100_000; readers += 5_000) {
      const responses = open(5_000);
      await eventually(() => responses() === 5_000);
    }
    expect(await lost()).toBeGreaterThan(0);
    expect((heapBytes() - before) / MB).toBeLessThan(8);
    expect(readers).toBeGreaterThan(5_000);
  });
});
