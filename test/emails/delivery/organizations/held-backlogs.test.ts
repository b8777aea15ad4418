import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { HeldMail } from '../../../../src/emails/delivery/organizations/held-mail.js';
import { pauseIdOf, providerPauseKey } from '../../../../src/emails/delivery/provider-pause-key.js';
import { DispatchWindow } from '../../../../src/emails/dispatch/dispatch-window.js';
import { HELD_FOR } from '../../../../src/emails/dispatch/parked-email.sql.js';
import type { RedisConnection } from '../../../../src/platform/redis/connect.js';
import { insertBacklog, insertOrganization } from '../../../support/backlog.js';
import { connectToTestRedis } from '../../../support/connect-to-test-redis.js';
import { openTestDatabase, type OpenTestDatabase } from '../../../support/test-database.js';

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

/** An organization with held emails. Without a provider, they are released for those of the service. */
async function holdMany(emails: number): Promise<string> {
  const organizationId = await insertOrganization(opened.database);
  await insertBacklog(opened.database, organizationId, emails);
  await opened.database.query(`update pending_emails set due_at = due_at + ${HELD_FOR} where organization_id = $1`, [
    organizationId,
  ]);
  return organizationId;
}

/** A provider that was changed long ago. @returns the key of its pause */
async function addProvider(organizationId: string): Promise<string> {
  const id = randomUUID();
  await opened.database.query(
    `insert into organization_providers (id, organization_id, name, type, sealed_credentials, changed_at)
     values ($1, $2, 'own', 'smtp', 'sealed', now() - interval '1 h')`,
    [id, organizationId],
  );
  return providerPauseKey(pauseIdOf(id, 1));
}

/** The emails that are released and have no job yet. */
async function released(): Promise<number> {
  const [row] = await opened.database.query<{ count: number }>(
    'select count(*)::integer as count from pending_emails where due_at <= now() and dispatched_at is null',
  );
  return row!.count;
}

/** The organizations whose emails are released, one for each statement that is about to run. */
function releases(meanwhile?: () => Promise<unknown>): string[] {
  const organizations: string[] = [];
  const { database } = opened;
  const query = database.query.bind(database);
  jest.spyOn(database, 'query').mockImplementation(async (...[text, values]: Parameters<typeof query>) => {
    if (text.includes('update pending_emails')) {
      organizations.push(String(values![0]));
      await meanwhile?.();
    }
    return query(text, values) as never;
  });
  return organizations;
}

describe('Organizations with thousands of held emails', () => {
  it('are released in turns, so that none waits until another one has nothing left', async () => {
    const [one, other] = [await holdMany(1_500), await holdMany(1_500)].sort();
    const turns = releases();
    await mail.release();
    expect(turns).toEqual([one, other, one, other]);
  });

  it('keep the rest once their provider refuses its credentials again', async () => {
    const pauseKey = await addProvider(await holdMany(1_500));
    releases(() => redis.set(pauseKey, 'credential-refused', 'PX', 60_000));
    await mail.release();
    expect(await released()).toBe(1_000);
  });

  it('release some thousands at a time, so that no more are held again if their provider fails again', async () => {
    await addProvider(await holdMany(20_000));
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
    const organizationId = await holdMany(20_000);
    await addProvider(organizationId);
    for (let change = 0; change < 100; change++) {
      await opened.database.query('update organization_providers set version = version + 1, changed_at = now()');
    }
    await mail.release();
    expect(await released()).toBe(1);
  });
});
