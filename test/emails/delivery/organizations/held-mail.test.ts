import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { parkEmails, unparkEmails } from '../../../../src/broadcasts/sending/parked-emails.js';
import { DeliveryState } from '../../../../src/emails/delivery/delivery-state.js';
import { HeldMail } from '../../../../src/emails/delivery/organizations/held-mail.js';
import { pauseIdOf, providerPauseKey } from '../../../../src/emails/delivery/provider-pause-key.js';
import { HELD_FOR } from '../../../../src/emails/dispatch/parked-email.sql.js';
import { DispatchWindow } from '../../../../src/emails/dispatch/dispatch-window.js';
import type { RedisConnection } from '../../../../src/platform/redis/connect.js';
import { WebhookOutbox } from '../../../../src/webhooks/webhook-outbox.js';
import { insertBacklog, insertOrganization } from '../../../support/backlog.js';
import { eventually } from '../../../support/eventually.js';
import { connectToTestRedis } from '../../../support/connect-to-test-redis.js';
import { openTestDatabase, type OpenTestDatabase } from '../../../support/test-database.js';
import { dispatchEmails } from '../../dispatch/dispatched-emails.js';

const HOUR = 3_600_000;
const EMAILS = 4;

let opened: OpenTestDatabase;
let redis: RedisConnection;
let mail: HeldMail;
let pauseKey: string;
let state: DeliveryState;

beforeAll(async () => void (redis = await connectToTestRedis()));
afterAll(() => redis.disconnect());

beforeEach(async () => {
  await redis.flushdb();
  opened = await openTestDatabase();
  const { database } = opened;
  mail = new HeldMail(database, redis);
  state = new DeliveryState(database, new WebhookOutbox());
  for (const id of await dispatchEmails(database, EMAILS)) await state.hold(id);
  const id = randomUUID();
  await database.query(
    `insert into organization_providers (id, organization_id, name, type, sealed_credentials)
     select $1, organization_id, 'own', 'smtp', 'sealed' from pending_emails limit 1`,
    [id],
  );
  pauseKey = providerPauseKey(pauseIdOf(id, await versionOf(id)));
});
afterEach(() => opened.close());

async function versionOf(id: string): Promise<number> {
  const [row] = await opened.database.query<{ version: number }>(
    'select version from organization_providers where id = $1',
    [id],
  );
  return row!.version;
}

/** The provider has accepted no email for this time, and is paused or may be tried. */
async function refusesFor(milliseconds: number, isPaused: boolean): Promise<void> {
  if (isPaused) await redis.set(pauseKey, 'credential-refused', 'PX', 60_000);
  await redis.set(`${pauseKey}:since`, Date.now() - milliseconds);
}

/** The IDs of the emails that the feeder finds. */
async function fed(): Promise<string[]> {
  const window = new DispatchWindow(opened.database);
  return (await window.feed(100, await window.epoch())).fed.map(({ emailId }) => emailId);
}

const due = async (): Promise<number> => (await fed()).length;

describe('Emails that are held while the own provider of their organization refuses its credentials', () => {
  it('stay as they are while it is paused', async () => {
    await refusesFor(HOUR, true);
    const rows = () => opened.database.query('select xmin, ctid from pending_emails order by email_id');
    const before = await rows();
    await mail.release();
    expect(await due()).toBe(0);
    expect(await rows()).toEqual(before);
  });

  it('are released one by one until it accepts one, and then all', async () => {
    await refusesFor(HOUR, false);
    await mail.release();
    expect(await due()).toBe(1);
    await redis.flushdb();
    await mail.release();
    expect(await due()).toBe(EMAILS - 1);
  });

  it('are released one by one, even if the clock of Redis was set back since it refuses them', async () => {
    await refusesFor(-HOUR, false);
    await mail.release();
    expect(await due()).toBe(1);
  });

  it('are released once it is deleted', async () => {
    await refusesFor(HOUR, true);
    await opened.database.query('delete from organization_providers');
    await mail.release();
    expect(await due()).toBe(EMAILS);
  });

  it('are released to fail once they have waited for 24 hours, in which it accepted none', async () => {
    await opened.database.query(
      `update pending_emails set due_at = due_at - interval '25 h', queued_at = queued_at - interval '25 h'
        where email_id = (select min(email_id::text)::uuid from pending_emails)`,
    );
    await refusesFor(23 * HOUR, true);
    await mail.release();
    expect(await due()).toBe(0);
    await refusesFor(25 * HOUR, true);
    await mail.release();
    expect(await due()).toBe(1);
  });

  it('are released to fail after these 24 hours also if one of them was tried meanwhile, which put it off', async () => {
    await mail.release();
    const [tried, ...others] = await fed();
    await opened.database.query(
      `update pending_emails set queued_at = now() - interval '25 h', due_at = now() - interval '1 h'
        where email_id = $1`,
      [tried],
    );
    for (const id of [tried!, ...others]) await state.hold(id);
    await refusesFor(25 * HOUR, true);
    await mail.release();
    expect(await fed()).toEqual([tried]);
  });

  it('are tried in turns, because one of them may be refused for its own sake', async () => {
    await refusesFor(HOUR, false);
    const tried = new Set<string>();
    await eventually(async () => {
      await mail.release();
      for (const id of await fed()) {
        tried.add(id);
        await state.hold(id);
      }
      return tried.size === EMAILS;
    });
  });

  it('are due after a pause of their broadcast, even if it began meanwhile', async () => {
    await refusesFor(HOUR, true);
    const broadcastId = randomUUID();
    await opened.database.query('update pending_emails set broadcast_id = $1', [broadcastId]);
    expect(await parkEmails(opened.database, broadcastId)).toBe(EMAILS);
    await redis.flushdb();
    await mail.release();
    expect(await due()).toBe(0);
    expect(await unparkEmails(opened.database, broadcastId)).toBe(EMAILS);
    expect(await due()).toBe(EMAILS);
  });
});

describe('Organizations with thousands of held emails', () => {
  const MANY = 1_500;

  async function holdMany(organizationId: string): Promise<void> {
    await insertBacklog(opened.database, organizationId, MANY);
    await opened.database.query(
      `update pending_emails set due_at = due_at + ${HELD_FOR}, dispatched_at = null where organization_id = $1`,
      [organizationId],
    );
  }

  /** The organizations whose emails are released, one for each statement that is about to run. */
  function releases(meanwhile?: () => Promise<unknown>): string[] {
    const organizations: string[] = [];
    const { database } = opened;
    const query = database.query.bind(database);
    jest.spyOn(database, 'query').mockImplementation(async (...[text, values]: Parameters<typeof query>) => {
      if (text.trimStart().startsWith('update pending_emails')) {
        organizations.push(String(values![0]));
        await meanwhile?.();
      }
      return query(text, values) as never;
    });
    return organizations;
  }

  it('are released in turns, so that none waits until another one has nothing left', async () => {
    await opened.database.query('delete from pending_emails');
    const [one, other] = [await insertOrganization(opened.database), await insertOrganization(opened.database)].sort();
    for (const organizationId of [one!, other!]) await holdMany(organizationId);
    const released = releases();
    await mail.release();
    expect(released).toEqual([one, other, one, other]);
  });

  it('keep the rest once their provider refuses its credentials again', async () => {
    const [own] = await opened.database.query<{ id: string }>('select organization_id as id from pending_emails');
    await holdMany(own!.id);
    releases(() => refusesFor(HOUR, true));
    await mail.release();
    const [left] = await opened.database.query<{ count: number }>(
      `select count(*)::integer as count from pending_emails p where due_at > now() + ${HELD_FOR} / 2`,
    );
    expect(left!.count).toBe(EMAILS + MANY - 1_000);
  });
});
