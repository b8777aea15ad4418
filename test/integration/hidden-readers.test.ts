import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { findInTables } from '../support/find-everywhere.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TestService, type TestClient } from '../support/service.js';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';

/** In every header that the tracking edge reads; and an address as text, in hexadecimal and as bytes. */
const CANARY = 'canarium';
const ADDRESS = '203.0.113.119';
const TRACES = [CANARY, ADDRESS, 'cb007177', '3405803895', '\xcb\x00\x71\x77'];

const AGENTS = [
  `Mozilla/5.0 (Windows NT 10.0; ${CANARY}) Gecko/20100101 Firefox/144.0`,
  `GoogleImageProxy ${CANARY}`,
  `Slackbot ${CANARY}`,
  `Mimecast ${CANARY}`,
  `curl/8.4 ${CANARY}`,
];
const HITS_PER_ROUND = AGENTS.length * 2;

const log = new CapturedLog('trace', ['api', 'tracking', 'worker', 'flusher']);
let redisServer: PrivateRedis;
let receiver: WebhookReceiver;
let service: TestService;
let client: TestClient;
let email: TrackResponse;
const responses: string[] = [];

beforeAll(async () => {
  redisServer = await PrivateRedis.start();
  receiver = await WebhookReceiver.listen();
  receiver.respond = respondWith(200);
  service = await TestService.start({
    logger: log.logger,
    environment: {
      REDIS_URL: redisServer.url,
      TRUSTED_PROXIES: '127.0.0.0/8',
      EVENTS_PER_EMAIL_PER_MINUTE: '15',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      WEBHOOK_ALLOW_HTTP: 'true',
    },
  });
  client = await service.organization();
  await client.post('/api/webhooks', { url: receiver.url, events: ['EMAIL_OPENED', 'EMAIL_CLICKED'] });
  const htmlContent = '<a href="https://example.com/">x</a>';
  email = (await client.post<TrackResponse>('/api/emails', { to: 'r@example.com', subject: 'S', htmlContent })).body;
});

afterAll(async () => {
  await service?.stop();
  await receiver?.stop();
  await redisServer?.remove();
});

/** Opens and clicks with every user agent, half of them through the fast path and half through node:http. */
async function hit(): Promise<void> {
  for (const [index, agent] of AGENTS.entries()) {
    const headers = {
      'user-agent': agent,
      'accept-language': `en, ${CANARY}`,
      'x-purpose': CANARY,
      ...(index % 2 === 0 ? { 'x-forwarded-for': ADDRESS } : { forwarded: `for=${ADDRESS}` }),
      ...(index > 2 && { connection: 'close' }),
    };
    for (const url of [email.pixelUrl, email.links[0]!.trackingUrl]) {
      const response = await service.track(url, { headers });
      responses.push(JSON.stringify([...response.headers]), await response.text());
    }
  }
}

async function inRedis(): Promise<string> {
  const redis = connectForBlocking(redisServer.url);
  redis.on('error', () => undefined);
  if (redis.status !== 'ready') await once(redis, 'ready');
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  const entries = await Promise.all(
    keys.map(async (key) => ((await redis.type(key)) === 'stream' ? redis.xrangeBuffer(key, '-', '+') : [])),
  );
  const fields = entries.flat().flatMap(([, texts]) => texts);
  redis.disconnect();
  expect(keys.length).toBeGreaterThan(0);
  return [...keys, ...[...values, ...fields].map((value) => value?.toString('latin1') ?? '')].join('\n');
}

async function inSpool(): Promise<string> {
  const folder = service.settings.SPOOL_DIRECTORY;
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

function expectNoTrace(text: string): void {
  const found = TRACES.filter((trace) => text.toLowerCase().includes(trace));
  expect(found).toEqual([]);
}

const counted = (hits: number) =>
  eventually(async () => {
    const { rows } = await service.database.pool.query<{ hits: number }>(
      'select (opens + clicks)::int as hits from emails',
    );
    return rows[0]!.hits === hits;
  }, 20_000);

it('the user agent and the address of a reader are in no table, key, spool, log line, response, metric or webhook', async () => {
  await hit();
  expectNoTrace(await inRedis());
  await counted(HITS_PER_ROUND);

  await redisServer.kill();
  await hit();
  const spooled = await inSpool();
  expect(spooled).toContain('https://example.com/');
  expectNoTrace(spooled);
  await redisServer.start();
  await counted(HITS_PER_ROUND * 2);

  const { rows } = await service.database.pool.query<{ verdicts: number }>(
    'select count(distinct verdict)::int as verdicts from events',
  );
  expect(rows[0]!.verdicts).toBeGreaterThan(3);
  await eventually(() => receiver.received.length > 0, 20_000);
  const metrics = await (await fetch(`${service.operatorAddress}/metrics`)).text();
  expect(log.text).toContain('"level"');
  for (const text of [await inRedis(), log.text, metrics, ...responses]) expectNoTrace(text);
  expectNoTrace(JSON.stringify(receiver.received));
  // Postgres stores no text with a zero byte, and the search finds the bytes as hexadecimal digits.
  expect(
    await findInTables(
      service.database,
      TRACES.filter((trace) => !trace.includes('\0')),
    ),
  ).toEqual([]);
});
