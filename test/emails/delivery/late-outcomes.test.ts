import { randomUUID } from 'node:crypto';
import { parkEmails, unparkEmails } from '../../../src/broadcasts/sending/parked-emails.js';
import { AbandonedEmails } from '../../../src/emails/delivery/abandoned-emails.js';
import { decideDelivery } from '../../../src/emails/delivery/delivery-policy.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import type { Database } from '../../../src/platform/database/database.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { eventually } from '../../support/eventually.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { claimEmail } from '../dispatch/dispatched-emails.js';

/** The postponement of an email with an unknown outcome. */
const DOUBT = { reason: 'the worker ended', delayMs: 180_000, countsAsAttempt: true, possibleDuplicate: true };
/** That of one that the provider certainly did not accept. */
const REFUSED_FOR_NOW = { reason: '503', delayMs: 0, countsAsAttempt: true };

let opened: OpenTestDatabase;
let database: Database;
let state: DeliveryState;
let lease: Lease;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  lease = await claimEmail(database, state);
  await database.query(`update pending_emails set lease_until = now() - interval '1 s'`);
  // Once Postgres has been up for the grace period.
  const other = await eventually(async () => (await new AbandonedEmails(database).takeOver(10))[0], 20_000);
  await state.postpone(other, DOUBT);
});
afterEach(() => opened.close());

async function pending() {
  const [row] = await database.query(
    `select possible_duplicate as "isDoubtful", due_at <= now() as "isDue", attempts from pending_emails`,
  );
  return row;
}

describe('A worker that was silent while its email was taken over', () => {
  it('ends the doubt if the provider certainly did not accept the email', async () => {
    expect(await state.postpone(lease, REFUSED_FOR_NOW)).toBe(true);
    expect(await pending()).toEqual({ isDoubtful: false, isDue: true, attempts: 1 });
    // A repeat whose first confirmation was lost.
    expect(await state.postpone(lease, { ...REFUSED_FOR_NOW, countsAsAttempt: false })).toBe(false);
    expect(await pending()).toMatchObject({ attempts: 1 });
  });

  it('records who has the email if it does not know that of all recipients', async () => {
    const email = { id: lease.emailId, triedForMs: 0, possibleDuplicate: false, reached: false, deferred: false };
    const message = { envelopeRecipients: ['has@example.com', 'may-have@example.com', 'has-none@example.com'] };
    const [has, mayHave, hasNone] = message.envelopeRecipients as [string, string, string];
    const recipients = [
      { address: has, state: 'accepted' },
      { address: mayHave, state: 'deferred', reason: 'no response', isUnknown: true },
      { address: hasNone, state: 'deferred', reason: 'busy' },
    ] as const;
    const decision = decideDelivery(
      { kind: 'accepted', providerId: 'p1', recipients },
      {
        email: { ...email, reported: false, areSeparate: false, proven: [], providerId: null, message },
        attempt: 1,
        random: 1,
        resendAfterMs: 180_000,
      },
    );
    if (decision.kind !== 'retry') throw new Error(`The email is ${decision.kind}`);
    expect(await state.postpone(lease, decision)).toBe(true);
    expect(await pending()).toMatchObject({ isDoubtful: false, attempts: 1 });
    expect(await database.query('select provider_id from pending_emails')).toEqual([{ provider_id: 'p1' }]);
  });

  it('changes nothing if it does not know the outcome either', async () => {
    expect(await state.postpone(lease, { ...DOUBT, delayMs: 0 })).toBe(false);
    expect(await pending()).toEqual({ isDoubtful: true, isDue: false, attempts: 1 });
  });

  it('leaves the email in the pause of its broadcast', async () => {
    const broadcastId = randomUUID();
    await database.query('update pending_emails set broadcast_id = $1', [broadcastId]);
    expect(await parkEmails(database, broadcastId)).toBe(1);
    expect(await state.postpone(lease, REFUSED_FOR_NOW)).toBe(true);
    expect(await pending()).toEqual({ isDoubtful: false, isDue: false, attempts: 1 });
    // It is due when the attempt after this outcome is, not when its resend was.
    expect(await unparkEmails(database, broadcastId)).toBe(1);
    expect(await pending()).toMatchObject({ isDue: true });
  });

  it('changes nothing once another worker has claimed the email again', async () => {
    await database.query(`update pending_emails set due_at = now() - interval '1 s'`);
    expect(await state.claim({ ...lease, token: randomUUID() }, 1)).toBe(2);
    expect(await state.postpone(lease, REFUSED_FOR_NOW)).toBe(false);
    expect(await pending()).toMatchObject({ isDoubtful: true, attempts: 2 });
  });
});
