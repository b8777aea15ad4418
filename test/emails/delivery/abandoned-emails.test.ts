import type { Database } from '../../../src/platform/database/database.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { AbandonedEmails } from '../../../src/emails/delivery/abandoned-emails.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let database: Database;
let state: DeliveryState;
let emails: string[];
let opened: OpenTestDatabase;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  emails = await dispatchEmails(database, 10);
});

afterEach(() => opened.close());

async function endLeases(): Promise<void> {
  await database.query(`update pending_emails set lease_until = now() - interval '1 s' where lease_token is not null`);
}

describe('after an outage of Postgres, or the promotion of a standby', () => {
  async function lastRecovery(secondsAgo: number, since = secondsAgo): Promise<void> {
    await database.query(
      `update dispatch_window set recovery_at = now() - $1 * interval '1 s', recovery_since = now() - $2 * interval '1 s'`,
      [secondsAgo, since],
    );
  }
  const takenOver = async () => (await new AbandonedEmails(database).takeOver(10)).length;

  beforeEach(async () => {
    await state.claim(leaseOn(emails[0]!), 0);
    await endLeases();
  });

  it('workers get time to record outcomes before their leases expire', async () => {
    await lastRecovery(20, 3_600);
    expect(await takenOver()).toBe(0);
    await lastRecovery(10, 14);
    expect(await takenOver()).toBe(0);
    await lastRecovery(10, 16);
    expect(await takenOver()).toBe(1);
  });

  it('there is no grace period if Postgres was never in recovery', async () => {
    await lastRecovery(10, 3_600);
    expect(await takenOver()).toBe(1);
  });
});

it('an email whose job Redis has but did not confirm is found when its worker dies, without a full scan', async () => {
  const abandoned = new AbandonedEmails(database);
  await abandoned.takeOver(10);
  await database.query('update pending_emails set dispatched_at = null');
  await state.claim(leaseOn(emails[0]!), 0);
  await endLeases();
  expect(await abandoned.takeOver(10)).toHaveLength(1);
});

it('a worker can still record its outcome after recovery itself was interrupted', async () => {
  const lease = leaseOn(emails[0]!);
  await state.claim(lease, 0);
  await endLeases();
  expect(await new AbandonedEmails(database).takeOver(10)).toHaveLength(1);
  await endLeases();
  const [again] = await new AbandonedEmails(database).takeOver(10);
  const doubt = { reason: 'unknown', delayMs: 60_000, countsAsAttempt: true, possibleDuplicate: true };
  expect(await state.postpone(again!, doubt)).toBe(true);
  const sent = { providerId: 'p1', urls: [], sentAt: new Date(), recipients: [] };
  expect(await state.markSent(lease, sent)).toEqual([]);
});

describe('the lower bound for dispatched emails', () => {
  it('hides emails only briefly: a new process checks all of them', async () => {
    await state.claim(leaseOn(emails[0]!), 0);
    await endLeases();
    await database.query(`update pending_emails set dispatched_at = now() - interval '1 h';`);
    await database.query(`update dispatch_window set dispatched_since = now() - interval '10 min'`);
    const abandoned = new AbandonedEmails(database);
    expect(await abandoned.takeOver(10)).toHaveLength(1);
    expect(await abandoned.overdue(15_000, 100)).toHaveLength(9);
  });

  it('is unknown once the clock of Postgres was put back', async () => {
    const abandoned = new AbandonedEmails(database);
    await abandoned.takeOver(10);
    await abandoned.overdue(15_000, 10);
    await state.claim(leaseOn(emails[0]!), 0);
    await endLeases();
    await database.query(`update dispatch_window set dispatched_since = now() + interval '1 h'`);
    expect(await abandoned.takeOver(10)).toHaveLength(1);
  });
});
