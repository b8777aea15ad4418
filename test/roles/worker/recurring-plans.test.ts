import { jest } from '@jest/globals';
import { EmailRecovery } from '../../../src/emails/delivery/email-recovery.js';
import { RECURRING_RUNS_KEY } from '../../../src/platform/queue/recurring-runs.js';
import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { TestService } from '../../support/service.js';

const JOB = 'recover-emails';
const TEN_MINUTES_MS = 600_000;

let service: TestService;
let redis: RedisConnection;

beforeEach(async () => {
  service = await TestService.start();
  redis = connectForBlocking(service.settings.REDIS_URL);
  await eventually(async () => (await next()) > 0);
});
afterEach(async () => {
  jest.restoreAllMocks();
  redis?.disconnect();
  await service?.stop();
});

async function next(): Promise<number> {
  return Number(await redis.hget(RECURRING_RUNS_KEY, JOB));
}

it('a recurring job that was delayed because the clock of Redis was ten minutes ahead runs within seconds', async () => {
  const recovery = jest.spyOn(EmailRecovery.prototype, 'run');
  await redis.hset(RECURRING_RUNS_KEY, JOB, Date.now() + TEN_MINUTES_MS);
  await eventually(() => recovery.mock.calls.length > 0, 20_000);
  expect(await next()).toBeLessThan(Date.now() + TEN_MINUTES_MS / 2);
});

it('a recurring job whose next run Redis has lost runs within seconds', async () => {
  const recovery = jest.spyOn(EmailRecovery.prototype, 'run');
  await redis.del(RECURRING_RUNS_KEY);
  await eventually(() => recovery.mock.calls.length > 0, 20_000);
  expect(await next()).toBeGreaterThan(Date.now());
});
