import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { parkEmails, unparkEmails } from '../../../../src/broadcasts/sending/parked-emails.js';
import { DeliveryState } from '../../../../src/emails/delivery/delivery-state.js';
import { HeldMail } from '../../../../src/emails/delivery/organizations/held-mail.js';
import { pauseIdOf, providerPauseKey } from '../../../../src/emails/delivery/provider-pause-key.js';
import { DispatchWindow } from '../../../../src/emails/dispatch/dispatch-window.js';
import type { RedisConnection } from '../../../../src/platform/redis/connect.js';
import { WebhookOutbox } from '../../../../src/webhooks/webhook-outbox.js';
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
  mail = new HeldMail(database, redis, pino({ level: 'silent' }));
  state = new DeliveryState(database, new WebhookOutbox());
  for (const id of await dispatchEmails(database, EMAILS)) await state.hold(id);
  const id = randomUUID();
  await database.query(
    `insert into organization_providers (id, organization_id, name, type, sealed_credentials, changed_at)
     select $1, organization_id, 'own', 'smtp', 'sealed', now() - interval '1 h' from pending_emails limit 1`,
    [id],
  );
  pauseKey = providerPauseKey(pauseIdOf(id, await versionOf(id)));
});
afterEach(() => opened.close());

/** The provider accepts mail: a worker notes so. */
async function accepts(): Promise<void> {
  await redis.flushdb();
  await redis.set(`${pauseKey}:accepts`, 1);
}

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

/** The provider is changed, which is all that the API does. */
async function changeProvider(): Promise<void> {
  const [row] = await opened.database.query<{ id: string; version: number }>(
    'update organization_providers set version = version + 1, changed_at = now() returning id, version',
  );
  pauseKey = providerPauseKey(pauseIdOf(row!.id, row!.version));
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
    await accepts();
    await mail.release();
    expect(await due()).toBe(EMAILS - 1);
  });

  it('are released one by one, even if the clock of Redis was set back since it refuses them', async () => {
    await refusesFor(-HOUR, false);
    await mail.release();
    expect(await due()).toBe(1);
  });

  it('are released one by one once it is changed until it accepts one, and then all', async () => {
    await refusesFor(HOUR, true);
    await changeProvider();
    await mail.release();
    expect(await due()).toBe(1);
    await redis.set(`${pauseKey}:accepts`, 1);
    await mail.release();
    expect(await due()).toBe(EMAILS - 1);
  });

  it('stay as they are once it is changed and refuses the first one again', async () => {
    await refusesFor(HOUR, true);
    await changeProvider();
    await mail.release();
    expect(await due()).toBe(1);
    await refusesFor(0, true);
    await mail.release();
    expect(await due()).toBe(0);
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
    await accepts();
    await mail.release();
    expect(await due()).toBe(0);
    expect(await unparkEmails(opened.database, broadcastId)).toBe(EMAILS);
    expect(await due()).toBe(EMAILS);
  });
});
