import { recurringJobs, type RecurringJob } from '../../../src/platform/queue/jobs.js';
import { RECURRING_RUNS_KEY, RecurringRuns } from '../../../src/platform/queue/recurring-runs.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';

const HOURLY = 'keep-events';
const FREQUENT = 'recover-emails';
const NOTHING: ReadonlySet<RecurringJob> = new Set();

let redis: RedisConnection;
let runs: RecurringRuns;

beforeEach(async () => {
  redis = await connectToTestRedis();
  runs = new RecurringRuns(redis);
});
afterEach(() => redis.disconnect());

const next = async (job: RecurringJob): Promise<number> => Number(await redis.hget(RECURRING_RUNS_KEY, job));
const makeDue = (job: RecurringJob): Promise<number> => redis.hset(RECURRING_RUNS_KEY, job, Date.now());

it('with an empty Redis every job runs, each in one of many workers', async () => {
  const startedAt = Date.now();
  const taken = (await Promise.all(Array.from({ length: 5 }, () => runs.takeDue(NOTHING)))).flatMap(({ due }) => due);
  expect([...new Set(taken)].sort()).toEqual(Object.keys(recurringJobs).sort());
  const takenTwice = taken.filter((job, at) => taken.indexOf(job) !== at);
  // A moment may come while the test runs.
  for (const job of takenTwice)
    expect(Date.now() % recurringJobs[job].everyMs).toBeLessThanOrEqual(Date.now() - startedAt);
});

it('a job runs again after its interval, at the same moments as all of its interval', async () => {
  await runs.takeDue(NOTHING);
  const moments = new Map<string, number>();
  for (const [job, { everyMs }] of Object.entries(recurringJobs)) {
    const endedAt = Date.now();
    await runs.end(job as RecurringJob);
    const at = await next(job as RecurringJob);
    expect(at % everyMs).toBe(0);
    expect(at).toBeGreaterThan(endedAt);
    expect(at).toBeLessThanOrEqual(Date.now() + everyMs);
    moments.set(job, at);
  }
  const takenAt = Date.now();
  const { due, nextInMs } = await runs.takeDue(NOTHING);
  // A moment may come while the test runs.
  const mayBeDue = [...moments].filter(([, at]) => at <= Date.now()).map(([job]) => job);
  expect(mayBeDue).toEqual(expect.arrayContaining(due));
  expect(due).toEqual(expect.arrayContaining([...moments].filter(([, at]) => at <= takenAt).map(([job]) => job)));
  expect(nextInMs).toBeGreaterThan(0);
  expect(nextInMs).toBeLessThanOrEqual(5_000);
  await makeDue(FREQUENT);
  expect((await runs.takeDue(NOTHING)).due).toContain(FREQUENT);
});

it('a run has one of these moments only once it has ended', async () => {
  await runs.takeDue(NOTHING);
  const leased = Object.entries(recurringJobs).filter(([, { everyMs }]) => everyMs > 30_000);
  for (const [job, { everyMs }] of leased) expect((await next(job as RecurringJob)) % everyMs).not.toBe(0);
});

it('another worker repeats the run of a worker that died after half a minute, but no run in progress', async () => {
  await runs.takeDue(NOTHING);
  const lease = await next(HOURLY);
  expect(lease).toBeLessThanOrEqual(Date.now() + 30_000);
  // As if 20 seconds had passed.
  await redis.hset(RECURRING_RUNS_KEY, HOURLY, lease - 20_000);
  expect((await runs.takeDue(new Set<RecurringJob>([HOURLY]))).due).not.toContain(HOURLY);
  expect(await next(HOURLY)).toBeGreaterThanOrEqual(lease);
  await makeDue(HOURLY);
  expect((await runs.takeDue(NOTHING)).due).toContain(HOURLY);
});

it('a run that is requested while another one ends stays due', async () => {
  await runs.takeDue(NOTHING);
  await redis.hset(RECURRING_RUNS_KEY, HOURLY, 0);
  await runs.end(HOURLY);
  expect((await runs.takeDue(NOTHING)).due).toContain(HOURLY);
});
