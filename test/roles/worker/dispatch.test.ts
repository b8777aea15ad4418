import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import { insertBacklog } from '../../support/backlog.js';
import { eventually } from '../../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../../support/service.js';
import type { SmtpStep } from '../../support/smtp-stub.js';

const EMAIL = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
/** A slow provider, so that a backlog lasts for a while. */
function slow(milliseconds: number): SmtpStep {
  return {
    phase: 'dot',
    get after() {
      return setTimeout(milliseconds);
    },
  };
}

const services: TestService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

async function start(environment: Record<string, string>, beside?: TestService): Promise<TestService> {
  const service = await TestService.start({ environment, ...(beside && { beside }) });
  services.unshift(service);
  return service;
}

async function jobs(service: TestService): Promise<number> {
  const redis = new Redis(service.settings.REDIS_URL);
  try {
    const keys = await redis.keys('{mailbeacon}:emails:email-*');
    return keys.filter((key) => !key.endsWith(':lock')).length;
  } finally {
    redis.disconnect();
  }
}

async function count(service: TestService, condition: string): Promise<number> {
  const [row] = await service.database.query<{ emails: number }>(
    `select count(*)::integer as emails from pending_emails where ${condition}`,
  );
  return row!.emails;
}

function sendLater(client: TestClient, to: string) {
  return client.post<SendResponse>('/api/send', { ...EMAIL, to }, { prefer: 'respond-async' });
}

it('delivers an email of one organization at once while another has a backlog, and limits the memory of Redis', async () => {
  const service = await start({ WORKER_CONCURRENCY: '2', DISPATCH_WINDOW: '100', ...AWAIT_RESULT });
  service.mailServer.scripts.add('reader@example.com', slow(200));
  const [large, small] = [await service.organization(), await service.organization()];
  await insertBacklog(service.database, large.organizationId, 3_000);
  await eventually(async () => (await jobs(service)) >= 90);

  const { status, body } = await small.post<SendResponse>('/api/send', { ...EMAIL, to: 'small@example.com' });
  expect(status).toBe(200);
  // One share of the large organization and the deliveries in progress, not the whole window or backlog.
  const [before] = await service.database.query<{ sent: number }>(
    `select count(*)::integer as sent from emails one, emails other
      where one.tracking_id = $1 and other.organization_id = $2 and other.sent_at between one.created_at and one.sent_at`,
    [body.emailTrackingId, large.organizationId],
  );
  expect(before!.sent).toBeLessThan(30);
  expect(await jobs(service)).toBeLessThanOrEqual(101);
  expect(await count(service, 'dispatched_at is null')).toBeGreaterThan(2_000);
});

it('responds with the result even to a send for which the queue had no slot', async () => {
  const service = await start({ DISPATCH_WINDOW: '10', WORKER_CONCURRENCY: '2', ...AWAIT_RESULT });
  service.mailServer.scripts.add('many@example.com', slow(100));
  await service.database.query('update dispatch_window set share = 5');
  const client = await service.organization();
  const sends = Array.from({ length: 30 }, () => client.post('/api/send', { ...EMAIL, to: 'many@example.com' }));
  const statuses = (await Promise.all(sends)).map(({ status }) => status);
  expect(statuses).toEqual(Array<number>(30).fill(200));
  expect(service.mailServer.messages).toHaveLength(30);
});

it('queues every email again after Redis was emptied, and sends none twice', async () => {
  const service = await start({ WORKER_CONCURRENCY: '3', DISPATCH_WINDOW: '50' });
  service.mailServer.scripts.add('*', slow(100));
  const client = await service.organization();
  for (let n = 0; n < 40; n++) await sendLater(client, `flush${n}@example.com`);
  await service.forgetRedis();
  for (let n = 40; n < 60; n++) await sendLater(client, `flush${n}@example.com`);
  await eventually(async () => (await count(service, 'true')) === 0);
  const recipients = service.mailServer.messages.flatMap((message) => message.recipients);
  expect(recipients.length).toBe(60);
  expect(new Set(recipients).size).toBe(60);
});

it('creates a job again that only Redis lost, as when it restarts from an older copy', async () => {
  const api = await start({ ROLES: 'api' });
  const client = await api.organization();
  const { headers } = await sendLater(client, 'older@example.com');
  const redis = new Redis(api.settings.REDIS_URL);
  const keys = await redis.keys('{mailbeacon}:emails:*');
  await redis.del(...keys);
  redis.disconnect();
  await api.database.query(`update pending_emails set dispatched_at = now() - interval '1 minute'`);
  await start({ ROLES: 'worker' }, api);
  await eventually(async () => {
    const { body } = await client.get<EmailDetail>(headers.get('location')!);
    return body.status === 'sent';
  }, 20_000);
});

it('fails an email whose runs keep ending without an outcome, with the reason', async () => {
  const api = await start({ ROLES: 'api' });
  const client = await api.organization();
  const { headers } = await sendLater(client, 'poison@example.com');
  const { headers: other } = await sendLater(client, 'ten@example.com');
  const set =
    'update pending_emails p set crashes = $2 from email_contents c where c.email_id = p.email_id and $1 = any(c.to_addresses)';
  await api.database.query(set, ['poison@example.com', 21]);
  await api.database.query(set, ['ten@example.com', 10]);
  await start({ ROLES: 'worker' }, api);
  const detailOf = async (location: Headers) => (await client.get<EmailDetail>(location.get('location')!)).body;
  const failed = await eventually(async () => {
    const seen = await detailOf(headers);
    return seen.status === 'failed' && seen;
  });
  expect(failed.lastError).toMatch(/worker ended more than 20 times/);
  await eventually(async () => (await detailOf(other)).status === 'sent');
  expect(api.mailServer.messages).toHaveLength(1);
});
