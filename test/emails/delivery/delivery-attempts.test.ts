import type { Database } from '../../../src/platform/database/database.js';
import { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { Postponement } from '../../../src/emails/delivery/delivery-policy.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { RecipientResult } from '../../../src/providers/hand-over-result.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';

const HOUR_MS = 3_600_000;
const later: Postponement = { reason: '451 Try later', delayMs: 60_000, countsAsAttempt: true };
const [ada, bob, cy] = ['ada@example.com', 'bob@example.com', 'cy@example.com'] as const;

let database: Database;
let state: DeliveryState;
let emailId: string;
let opened: OpenTestDatabase;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  emailId = (await dispatchEmails(database, 1))[0]!;
});
afterEach(() => opened.close());

/** Makes another attempt, once the email is due again. */
async function attempt(number: number): Promise<Lease> {
  const lease = leaseOn(emailId);
  await database.query(`update pending_emails set due_at = now() - interval '1 s', dispatched_at = now()`);
  const { generation } = (await new EmailLoader(database).find(emailId))!;
  expect(await state.claim(lease, generation)).toBe(number);
  return lease;
}

async function pending() {
  const [row] = await database.query(
    `select attempts, generation, possible_duplicate, provider_id, last_error, lease_token, lease_until, dispatched_at,
            due_at > now() + interval '50 s' as waits
       from pending_emails where email_id = $1`,
    [emailId],
  );
  return row;
}

async function ended() {
  const [row] = await database.query(
    'select status, attempts, possible_duplicate, provider_id from emails where id = $1',
    [emailId],
  );
  return row;
}

const waiting = { lease_token: null, lease_until: null, dispatched_at: null, waits: true };
const clean = { possible_duplicate: false, provider_id: null };
const result = (address: string, state: RecipientResult['state']): RecipientResult => ({ address, state });
const sentAt = new Date();

describe('a deferred email', () => {
  it('gets a new job each time, and counts each attempt', async () => {
    for (const number of [1, 2, 3]) {
      expect(await state.postpone(await attempt(number), { ...later, reason: `451 number ${number}` })).toBe(true);
      const last_error = `451 number ${number}`;
      expect(await pending()).toEqual({ ...waiting, ...clean, attempts: number, generation: number, last_error });
    }
  });

  it('does not count an attempt without a result, and gets a new job all the same', async () => {
    for (const generation of [1, 2, 3]) {
      await state.postpone(await attempt(1), { ...later, countsAsAttempt: false });
      expect(await pending()).toMatchObject({ ...waiting, attempts: 0, generation });
    }
  });

  it('stays in doubt to the end, regardless of later attempts', async () => {
    await state.postpone(await attempt(1), { ...later, possibleDuplicate: true });
    await state.postpone(await attempt(2), later);
    expect(await pending()).toMatchObject({ possible_duplicate: true });
    expect((await new EmailLoader(database).find(emailId))!.possibleDuplicate).toBe(true);
    await state.markSent(await attempt(3), { providerId: 'p3', urls: [], sentAt, recipients: [] });
    expect(await ended()).toEqual({ status: 'sent', attempts: 3, possible_duplicate: true, provider_id: 'p3' });
  });

  it.each(['sent', 'failed'] as const)(
    'is not flagged as in doubt because of its three attempts when it ends %s',
    async (end) => {
      for (const number of [1, 2]) await state.postpone(await attempt(number), later);
      const lease = await attempt(3);
      if (end === 'sent') await state.markSent(lease, { providerId: 'p3', urls: [], sentAt, recipients: [] });
      else await state.markFailed(lease, '550 No', []);
      expect(await ended()).toMatchObject({ status: end, attempts: 3, possible_duplicate: false });
    },
  );

  it('is retried for a day from its first attempt, however long it waited before', async () => {
    const triedForMs = async () => (await new EmailLoader(database).find(emailId))!.triedForMs;
    await database.query(`update emails set created_at = now() - interval '3 days'`);
    await database.query(`update pending_emails set queued_at = now() - interval '3 days'`);
    expect(await triedForMs()).toBe(0);
    await state.postpone(await attempt(1), later);
    expect(await triedForMs()).toBeLessThan(HOUR_MS);
    await database.query(`update pending_emails set first_claimed_at = first_claimed_at - interval '25 h'`);
    await state.postpone(await attempt(2), later);
    expect(await triedForMs()).toBeGreaterThan(25 * HOUR_MS);
    expect(await triedForMs()).toBeLessThan(26 * HOUR_MS);
  });

  it('is queued for as long as it waits, from a manual retry on', async () => {
    const queuedForMs = async () => (await new EmailLoader(database).find(emailId))!.queuedForMs;
    await database.query(`update emails set created_at = now() - interval '3 days'`);
    expect(await queuedForMs()).toBeLessThan(HOUR_MS);
    await database.query(`update pending_emails set queued_at = queued_at - interval '25 h'`);
    expect(await queuedForMs()).toBeGreaterThan(25 * HOUR_MS);
  });

  it('keeps the provider ID of an attempt accepted for some recipients until it gets another', async () => {
    const recipients = [result(ada, 'accepted'), result(bob, 'deferred')];
    await state.postpone(await attempt(1), { ...later, providerId: 'p1', recipients });
    await state.postpone(await attempt(2), later);
    expect(await pending()).toMatchObject({ provider_id: 'p1' });
    expect((await new EmailLoader(database).find(emailId))!.providerId).toBe('p1');
    await state.postpone(await attempt(3), { ...later, providerId: 'p3', recipients });
    expect(await pending()).toMatchObject({ provider_id: 'p3' });
  });

  it('is not sent again to a recipient who was deferred and then reached', async () => {
    await database.query('update email_contents set to_addresses = $1', [[ada, bob, cy]]);
    const remaining = async () => (await new EmailLoader(database).find(emailId))!.message.envelopeRecipients;
    expect(await remaining()).toEqual([ada, bob, cy]);
    const allDeferred = [result(ada, 'deferred'), result(bob, 'deferred'), result(cy, 'deferred')];
    await state.postpone(await attempt(1), { ...later, recipients: allDeferred });
    expect(await remaining()).toEqual([ada, bob, cy]);
    await state.postpone(await attempt(2), { ...later, recipients: [result(ada, 'accepted'), result(bob, 'refused')] });
    expect(await remaining()).toEqual([cy]);
    await state.markSent(await attempt(3), { providerId: 'p', urls: [], sentAt, recipients: [result(cy, 'accepted')] });
    const rows = await database.query('select address, state from recipient_deliveries order by address');
    expect(rows).toEqual([result(ada, 'accepted'), result(bob, 'refused'), result(cy, 'accepted')]);
  });
});

describe('a worker whose lease another worker has taken over', () => {
  it('changes nothing, even three attempts later', async () => {
    const first = await attempt(1);
    await state.postpone(first, later);
    const second = await attempt(2);
    await state.postpone(second, later);
    const third = await attempt(3);
    for (const old of [first, second]) {
      expect(await state.postpone(old, { ...later, possibleDuplicate: true })).toBe(false);
      expect(await state.markSent(old, { providerId: 'old', urls: [], sentAt, recipients: [] })).toBeUndefined();
      expect(await state.markFailed(old, 'old', [])).toBeUndefined();
      await state.giveBack(old, 0);
      await state.renew([old]);
    }
    expect(await pending()).toMatchObject({ ...clean, attempts: 3, lease_token: third.token, generation: 2 });
  });
});
