import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/platform/clock/clock.js';
import { NodeHead } from '../../src/platform/http/fast-path/request-head.js';
import { NodeReply } from '../../src/platform/http/fast-path/static-response.js';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { signLink } from '../../src/links/link-token.js';
import { SigningKeys } from '../../src/links/signing-keys.js';
import { AppendMetrics } from '../../src/events/stream/append-metrics.js';
import { EntryStore } from '../../src/events/stream/entry-store.js';
import { EventAppender } from '../../src/events/stream/event-appender.js';
import { Spool } from '../../src/events/stream/spool.js';
import { TrackingEdge } from '../../src/roles/tracking/tracking-edge.js';
import { TrackingMetrics } from '../../src/roles/tracking/tracking-metrics.js';
import { EventPipeline } from '../roles/flusher/event-pipeline.js';
import { NO_HOSTS, NOTHING_BLOCKED, ownVerdicts } from '../roles/tracking/edge-server.js';
import { countersAfter, readCounters, sendMail } from '../roles/flusher/sent-mail.js';
import { eventually, withinASecond } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const keys = new SigningKeys([{ id: 1, secret: randomBytes(32) }]);
const silent = pino({ level: 'silent' });

let redisServer: PrivateRedis;
let pipeline: EventPipeline;
let spoolDirectory: string;
let metrics: Registry;
let appender: EventAppender;
let server: Server;
let pixelUrl: string;
let linkUrl: string;

beforeEach(async () => {
  redisServer = await PrivateRedis.start();
  pipeline = await EventPipeline.open(redisServer.url);
  spoolDirectory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
  metrics = new Registry();
  const store = new EntryStore(pipeline.redis, new Spool(spoolDirectory), systemClock, silent);
  store.start();
  appender = new EventAppender(store, new AppendMetrics(metrics), silent);
  const edge = new TrackingEdge(() => keys, appender, systemClock, new TrackingMetrics(new Registry()), {
    verdicts: ownVerdicts(),
    blocking: NOTHING_BLOCKED,
    hosts: NO_HOSTS,
    singlePerMinute: 65_535,
  });
  server = createServer(
    (request, response) =>
      void edge.handle(request.method!, request.url!, new NodeReply(response), new NodeHead(request)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { emails } = await sendMail(pipeline.database, [1]);
  const emailTrackingId = generateEmailTrackingId(keys, randomBytes(12));
  await pipeline.database.query('update emails set tracking_id = $1 where id = $2', [emailTrackingId, emails[0]!.id]);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/t`;
  pixelUrl = `${base}/o/${emailTrackingId}`;
  linkUrl = `${base}/c/${signLink(keys, { emailTrackingId, position: 2, url: 'https://shop.example/?a=1&b=2' })}`;
  pipeline.startFlusher();
});

afterEach(async () => {
  redisServer.thaw();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await appender.close();
  await pipeline.close();
  await redisServer.remove();
  await rm(spoolDirectory, { recursive: true, force: true });
});

async function open(): Promise<void> {
  expect((await fetch(pixelUrl)).status).toBe(200);
}

async function click(): Promise<void> {
  const response = await fetch(linkUrl, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://shop.example/?a=1&b=2']);
}

/**
 * Clicks while Redis is away. Each event is on disk before Redis is back: commands of this Redis client have no time
 * limit, so only the edge's own limit ends its wait for Redis.
 */
async function clickWithoutRedis(times: number): Promise<void> {
  for (let count = 0; count < times; count++) await click();
  await eventually(async () => {
    const { values } = await metrics.getSingleMetric('mailbeacon_events_appended_total')!.get();
    return values.find(({ labels }) => labels.outcome === 'spool')!.value === times;
  });
}

const hasCounted = (opens: number, clicks: number) => async () => {
  const { emailOpens, emailClicks } = await readCounters(pipeline.database);
  return emailOpens === opens && emailClicks === clicks;
};

describe('from the reader to the counters', () => {
  it('T01, T02: shows opens and clicks within a second', async () => {
    await open();
    await click();
    await eventually(hasCounted(1, 1));
    await Promise.all([open(), click(), click()]);
    await withinASecond(hasCounted(2, 3));
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(2, 3));
  });

  it('T03: redirects while Redis is down, and counts the clicks when it is up again', async () => {
    await click();
    await redisServer.kill();
    await clickWithoutRedis(5);
    await open();
    await redisServer.start();
    await eventually(hasCounted(1, 6));
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(1, 6));
  });

  it('T04: redirects while Postgres is down, and counts the clicks when it is up again', async () => {
    const cable = await TcpProxy.before(new URL(pipeline.databaseUrl));
    const behindIt = await EventPipeline.open(redisServer.url, cable.through(pipeline.databaseUrl));
    await pipeline.stopFlushers();
    behindIt.startFlusher();
    await click();
    await eventually(hasCounted(0, 1));
    await cable.goDown();
    for (let count = 0; count < 5; count++) await click();
    await cable.comeUp();
    await eventually(hasCounted(0, 6));
    await behindIt.close();
    await cable.goDown();
  });

  it('redirects while Redis is frozen, and counts each click once although Redis gets some twice', async () => {
    await click();
    redisServer.freeze();
    await clickWithoutRedis(5);
    redisServer.thaw();
    await eventually(hasCounted(0, 6));
    await eventually(() => pipeline.isDrained());
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(0, 6));
  });

  it('redirects and counts after Redis has lost everything', async () => {
    await click();
    await eventually(hasCounted(0, 1));
    await pipeline.redis.flushall();
    await click();
    await eventually(hasCounted(0, 2));
  });
});
