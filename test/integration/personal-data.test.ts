import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import { EVENT_STREAM } from '../../src/events/stream/stream-keys.js';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { contentOf } from '../support/find-everywhere.js';
import { PrivateRedis } from '../support/private-redis.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';

/** Part of every text in the test that is personal or confidential. */
const CANARY = 'canary';
// The destination of a click is part of its event. It is the only content of an email that passes through Redis.
const email = {
  from: 'Canary Sender <canary-sender@acme.example>',
  replyTo: 'canary-replies@acme.example',
  subject: 'canary-subject',
  htmlContent: '<p>canary-body <a href="https://example.com/">x</a></p>',
  campaignId: 'canary-campaign',
  metadata: { 'canary-key': 'canary-value' },
};

const log = new CapturedLog('trace', ['api', 'tracking', 'worker']);
let redisServer: PrivateRedis;
let redis: RedisConnection;
let receiver: WebhookReceiver;
let service: TestService;
let client: TestClient;
/** Secrets that the service creates, which must not appear either. */
const secrets: string[] = [];

beforeAll(async () => {
  redisServer = await PrivateRedis.start();
  receiver = await WebhookReceiver.listen();
  // Without a flusher, so that events stay in the stream and the test can read them.
  service = await TestService.start({
    logger: log.logger,
    environment: {
      ...AWAIT_RESULT,
      ROLES: 'api,tracking,worker',
      REDIS_URL: redisServer.url,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      WEBHOOK_ALLOW_HTTP: 'true',
      OPERATOR_PASSWORD: 'canary-operator-password',
    },
  });
  redis = connectForBlocking(redisServer.url);
  redis.on('error', () => undefined);
  client = await service.organization('pro', 'canary-organization');
  secrets.push(client.apiKey.slice(-24));
});
afterAll(async () => {
  redis?.disconnect();
  await service?.stop();
  await receiver?.stop();
  await redisServer?.remove();
});

/** Every key with its serialized value, as DUMP returns it. */
async function dump(): Promise<string> {
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  // Redis compresses no short values, but packs lists and hashes: their contents follow in plain text.
  const contents = await Promise.all(keys.map((key) => contentOf(redis, key)));
  return [...keys, ...values.map((value) => value?.toString('latin1') ?? ''), ...contents].join('\n');
}

function expectNothingPersonal(text: string): void {
  const at = text.toLowerCase().indexOf(CANARY);
  expect(at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 100)).toBe('');
  for (const secret of secrets) expect(text).not.toContain(secret);
}

const metrics = async () => (await fetch(`${service.operatorAddress}/metrics`)).text();

describe('personal data', () => {
  it('is in no log line, no metric and no key or value of Redis after all kinds of requests', async () => {
    const { body: hook } = await client.post<{ secret: string }>('/api/webhooks', {
      url: `${receiver.url}/canary-token?secret=canary`,
      events: ['EMAIL_SENT', 'EMAIL_FAILED', 'EMAIL_OPENED', 'EMAIL_CLICKED'],
    });
    secrets.push(hook.secret.replace('whsec_', ''));
    receiver.respond = respondWith(500, { 'x-canary': 'canary' }, 'canary-answer');

    const scripts = service.mailServer.scripts;
    scripts.add('canary-refused@example.com', { phase: 'rcpt', reply: '550 no canary-refused' });
    scripts.add('canary-later@example.com', { phase: 'rcpt', reply: '451 later canary-later' });
    const { body } = await client.post<SendResponse>('/api/send', { ...email, to: 'canary-reader@example.com' });
    await client.post('/api/send', { ...email, to: 'canary-refused@example.com' }, { 'idempotency-key': 'canary-key' });
    await client.post('/api/send', { ...email, to: 'canary-later@example.com' }, { prefer: 'respond-async' });
    await client.post('/api/emails', { ...email, to: 'canary-tracked@example.com' });
    await service.track(body.pixelUrl);
    await service.track(body.links[0]!.trackingUrl);

    await client.post('/api/send', { ...email, to: 'canary-bad address' });
    await client.post('/api/send', { ...email, to: 'canary@example.com', subject: 'canary\u0000' });
    await client.post('/api/send', { ...email, to: 'canary@example.com', htmlContent: '<mjml><mj-canary/></mjml>' });
    await client.post('/api/send', '{"canary": "broken');
    await client.get('/api/campaigns/canary');
    await client.get(`/api/contacts/${encodeURIComponent('canary-reader@example.com')}`);
    await client.get('/api/contacts?search=canary&cursor=canary');
    await client.get('/api/nowhere/canary?canary=canary');
    await fetch(`${service.address}/api/t/c/canary`, {
      headers: { 'user-agent': 'canary', referer: 'https://canary/' },
    });
    await fetch(`${service.address}/api/campaigns`, { headers: { 'x-api-key': 'mb_canarycanary_canary' } });
    await fetch(`${service.operatorAddress}/queues`, { headers: { authorization: 'Basic canary' } });

    await eventually(() => receiver.received.length >= 2);
    await eventually(async () => (await redis.xlen(EVENT_STREAM)) > 0);
    await eventually(() => log.text.includes('Email failed'));
    for (const text of [log.text, await metrics(), await dump()]) {
      expect(text.length).toBeGreaterThan(1_000);
      expectNothingPersonal(text);
    }
  });

  it('is in no log line while Postgres refuses statements', async () => {
    await service.database.query('alter table emails rename to emails_away');
    try {
      const { status } = await client.post('/api/send', { ...email, to: 'canary-reader@example.com' });
      expect(status).toBe(500);
      expect((await client.get('/api/contacts?search=canary')).status).toBe(200);
    } finally {
      await service.database.query('alter table emails_away rename to emails');
    }
    expect(log.text).toContain('Unexpected error');
    expectNothingPersonal(log.text);
  });

  it('is not in the spool, where events wait for Redis', async () => {
    const { body } = await client.post<SendResponse>('/api/send', { ...email, to: 'canary-spooled@example.com' });
    redisServer.freeze();
    try {
      await service.track(body.pixelUrl);
      await service.track(body.links[0]!.trackingUrl);
      const folder = service.settings.SPOOL_DIRECTORY;
      const spooled = await eventually(async () => {
        const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
        const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
        return texts.join('').length > 50 && texts.join('\n');
      });
      expectNothingPersonal(spooled);
      expectNothingPersonal(log.text);
    } finally {
      redisServer.thaw();
    }
  });
});
