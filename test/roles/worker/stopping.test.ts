import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { whileLocked } from '../../support/held-lock.js';
import { hasRunEnded, requestRun } from '../../support/recurring-runs.js';
import { TestService } from '../../support/service.js';

const EMAIL = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };

/** The service beside which workers run. */
let api: TestService;
let redis: RedisConnection;

beforeEach(async () => {
  api = await TestService.start({ environment: { ROLES: 'api' } });
  redis = connectForBlocking(api.settings.REDIS_URL);
});
afterEach(async () => {
  redis?.disconnect();
  await api?.stop();
});

const startWorker = (): Promise<TestService> => TestService.start({ beside: api, environment: { ROLES: 'worker' } });

it('does not wait for a recurring job that takes long', async () => {
  const client = await api.organization();
  expect((await client.post('/api/send/batch', { emails: [{ ...EMAIL, to: 'reader@example.com' }] })).status).toBe(202);
  const worker = await startWorker();
  await whileLocked(
    api.database,
    (sql) => sql.query('lock table attachment_contents in access exclusive mode'),
    async () => {
      await requestRun(redis, 'measure-storage');
      await eventually(async () => {
        const [row] = await api.database.query<{ measures: boolean }>(
          `select exists (select from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and query like '%from attachment_contents%sha256 > %') as measures`,
        );
        return row!.measures;
      });
      const startedAt = performance.now();
      await worker.stop();
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    },
  );
  // Another worker repeats the run.
  expect(await hasRunEnded(redis, 'measure-storage')).toBe(false);
});
