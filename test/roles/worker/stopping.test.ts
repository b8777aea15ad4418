import { jest } from '@jest/globals';
import { WorkListener } from '../../../src/platform/queue/work-notifications.js';
import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { whileLocked } from '../../support/held-lock.js';
import { hasRunEnded, requestRun } from '../../support/recurring-runs.js';
import { TestService } from '../../support/service.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const EMAIL = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
const NEVER_MS = 3_600_000;
const LOCAL_WEBHOOKS = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };

/** The service beside which workers run. */
let api: TestService;
let redis: RedisConnection;

beforeEach(async () => {
  api = await TestService.start({ environment: { ROLES: 'api', ...LOCAL_WEBHOOKS } });
  redis = connectForBlocking(api.settings.REDIS_URL);
});
afterEach(async () => {
  jest.restoreAllMocks();
  redis?.disconnect();
  await api?.stop();
});

const startWorker = (): Promise<TestService> =>
  TestService.start({ beside: api, environment: { ROLES: 'worker', ...LOCAL_WEBHOOKS } });

/** The number of connections to the Redis of this test that wait for an element of a sorted set. */
async function waitingConnections(): Promise<number> {
  const list = String(await redis.client('LIST')).split('\n');
  return list.filter((line) => line.includes(` db=${redis.options.db} `) && line.includes(' cmd=bzpopmin ')).length;
}

/** Whether the statement of the job `measure-storage` waits for a lock. */
async function waitsForLock(): Promise<boolean> {
  const [row] = await api.database.query<{ waits: boolean }>(
    `select exists (select from pg_stat_activity where datname = current_database()
       and wait_event_type = 'Lock' and query like '%from attachment_contents%sha256 > %') as waits`,
  );
  return row!.waits;
}

it('does not wait for a recurring job that takes long', async () => {
  const client = await api.organization();
  expect((await client.post('/api/send/batch', { emails: [{ ...EMAIL, to: 'reader@example.com' }] })).status).toBe(202);
  const worker = await startWorker();
  await whileLocked(
    api.database,
    (sql) => sql.query('lock table attachment_contents in access exclusive mode'),
    async () => {
      await requestRun(redis, 'measure-storage');
      await eventually(waitsForLock);
      await worker.stop();
      // A worker that waited for the job would stop only once Postgres has ended this statement.
      expect(await waitsForLock()).toBe(true);
    },
  );
  // Another worker repeats the run.
  expect(await hasRunEnded(redis, 'measure-storage')).toBe(false);
});

it('leaves notifications to other workers while it finishes a webhook', async () => {
  const client = await api.organization();
  const post = async (to: string): Promise<void> => {
    expect((await client.post('/api/send/batch', { emails: [{ ...EMAIL, to }] })).status).toBe(202);
  };
  const receiver = await WebhookReceiver.listen();
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  receiver.respond = (response) => void held.then(() => response.writeHead(204).end());
  expect((await client.post('/api/webhooks', { url: receiver.url })).status).toBe(201);
  const stopping = await startWorker();
  await post('first@example.com');
  await eventually(() => receiver.received.length === 1);
  const other = await startWorker();
  try {
    // Each worker waits for emails, for webhooks and for notifications.
    await eventually(async () => (await waitingConnections()) === 6);
    // Only notifications wake the workers.
    const idle = jest.spyOn(WorkListener.prototype, 'idleMs').mockReturnValue(NEVER_MS);
    const stopped = stopping.stop();
    await eventually(async () => (await waitingConnections()) <= 4);
    for (let email = 0; email < 6; email++) {
      const to = `reader-${email}@example.com`;
      const rounds = idle.mock.calls.length;
      await post(to);
      await eventually(() => api.mailServer.messages.some(({ recipients }) => recipients.includes(to)));
      // The next round finds nothing, and waits.
      await eventually(() => idle.mock.calls.length > rounds);
    }
    release();
    await stopped;
  } finally {
    release();
    await other.stop();
    await receiver.stop();
  }
});
