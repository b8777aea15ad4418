import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import type { Database } from '../../../src/platform/database/database.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { eventually } from '../../support/eventually.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

/** Less than a statement may wait for a lock. */
const WITHIN_MS = 8_000;

let open: OpenTestDatabase;
let database: Database;
let state: DeliveryState;
let locked: Lease;
let other: Lease;

beforeEach(async () => {
  open = await openTestDatabase();
  ({ database } = open);
  state = new DeliveryState(database, new WebhookOutbox());
  const leases = (await dispatchEmails(database, 2)).map((emailId) => leaseOn(emailId));
  [locked, other] = leases as [Lease, Lease];
});
afterEach(() => open.close());

/**
 * Another transaction, such as a step of an erasure, locks an email while something is recorded about it and others.
 */
async function whileOneIsLocked(record: (lease: Lease) => Promise<unknown>): Promise<void> {
  let ofLocked: Promise<unknown> | undefined;
  await whileLocked(
    database,
    (sql) => sql.query('select from pending_emails where email_id = $1 for update', [locked.emailId]),
    async () => {
      ofLocked = record(locked);
      await lockedOut(database, 1);
      let isRecorded = false;
      void record(other).then(() => (isRecorded = true));
      await eventually(() => isRecorded, WITHIN_MS);
    },
  );
  await ofLocked;
}

describe('An email that another transaction has locked does not keep a worker', () => {
  it('from claiming others', () => whileOneIsLocked((lease) => state.claim(lease, 0)));

  it('from recording that it sent others', async () => {
    for (const lease of [locked, other]) await state.claim(lease, 0);
    await whileOneIsLocked((lease) =>
      state.markSent(lease, { providerId: 'p', urls: [], sentAt: new Date(), recipients: [] }),
    );
  });
});
