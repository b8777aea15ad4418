import { jest } from '@jest/globals';
import { pino } from 'pino';
import { HeldMail } from '../../../../src/emails/delivery/organizations/held-mail.js';
import { DispatchWindow } from '../../../../src/emails/dispatch/dispatch-window.js';
import type { RedisConnection } from '../../../../src/platform/redis/connect.js';
import { connectToTestRedis } from '../../../support/connect-to-test-redis.js';
import { openTestDatabase, type OpenTestDatabase } from '../../../support/test-database.js';
import { addProvider, countReleased, holdMany } from './held-backlog.js';

let opened: OpenTestDatabase;
let redis: RedisConnection;
let mail: HeldMail;

beforeAll(async () => void (redis = await connectToTestRedis()));
afterAll(() => redis.disconnect());

beforeEach(async () => {
  await redis.flushdb();
  opened = await openTestDatabase();
  mail = new HeldMail(opened.database, redis, pino({ level: 'silent' }));
});
afterEach(() => opened.close());

const hold = (emails: number): Promise<string> => holdMany(opened.database, emails);
const released = (): Promise<number> => countReleased(opened.database);

/** A provider that accepts mail. @returns the key of its pause */
async function addAccepting(organizationId: string): Promise<string> {
  const pauseKey = await addProvider(opened.database, organizationId);
  await redis.set(`${pauseKey}:accepts`, 1);
  return pauseKey;
}

/** The organizations whose emails are released, in the order of the statements. */
function releases(afterEach?: () => Promise<unknown>): string[] {
  const organizations: string[] = [];
  const { database } = opened;
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementation(async (work) =>
    transaction(async (sql) => {
      const result = await work(sql);
      organizations.push(...new Set(result as string[]));
      await afterEach?.();
      return result;
    }),
  );
  return organizations;
}

describe('Organizations with thousands of held emails', () => {
  it('are released in turns, so that none waits until another one has nothing left', async () => {
    const [one, other] = [await hold(1_500), await hold(1_500)].sort();
    const turns = releases();
    await mail.release();
    expect(turns).toEqual([one, other, one, other]);
  });

  it('keep the rest once their provider refuses its credentials again', async () => {
    const pauseKey = await addAccepting(await hold(1_500));
    releases(() => redis.set(pauseKey, 'credential-refused', 'PX', 60_000));
    await mail.release();
    expect(await released()).toBe(1_000);
  });

  it('release some thousands at a time, so that no more are held again if their provider fails again', async () => {
    await addAccepting(await hold(20_000));
    await mail.release();
    expect(await released()).toBe(5_000);
    await Promise.all([mail.release(), mail.release()]);
    expect(await released()).toBe(5_000);
    const window = new DispatchWindow(opened.database);
    expect((await window.feed(100, await window.epoch())).fed).toHaveLength(100);
    await mail.release();
    expect(await released()).toBe(5_000);
  });

  it('release one email per run, however often their provider is changed', async () => {
    const organizationId = await hold(20_000);
    await addProvider(opened.database, organizationId);
    for (let change = 0; change < 100; change++) {
      await opened.database.query('update organization_providers set version = version + 1, changed_at = now()');
    }
    await mail.release();
    expect(await released()).toBe(1);
  });
});
