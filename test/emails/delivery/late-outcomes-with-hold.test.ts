import { pino } from 'pino';
import { AbandonedEmails } from '../../../src/emails/delivery/abandoned-emails.js';
import type { DeliveryNotifier } from '../../../src/emails/delivery/delivery-notifier.js';
import { DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EmailRecovery } from '../../../src/emails/delivery/email-recovery.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import type { SendJobs } from '../../../src/emails/dispatch/send-jobs.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import type { Database } from '../../../src/platform/database/database.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { claimEmail } from '../dispatch/dispatched-emails.js';

const SETTINGS = { AMBIGUOUS_SEND: 'hold', AMBIGUOUS_RESEND_AFTER_MS: 180_000 } as const;

let opened: OpenTestDatabase;
let database: Database;
let state: DeliveryState;
let lease: Lease;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  lease = await claimEmail(database, state);
});
afterEach(() => opened?.close());

/** @param seconds how long ago the lease expired */
const expire = (seconds = 1) =>
  database.query(`update pending_emails set lease_until = now() - $1 * interval '1 s'`, [seconds]);

/** A recovery while the worker has not responded for this long after its lease. */
async function recoverAfter(seconds: number): Promise<void> {
  await expire(seconds);
  const notifier = { failed: () => Promise.resolve() } as unknown as DeliveryNotifier;
  const recovery = new EmailRecovery(
    new AbandonedEmails(database),
    new EmailLoader(database),
    new DeliverySettlement(database, state, notifier, SETTINGS, systemClock),
    {} as DispatchWindow,
    { add: () => Promise.resolve() } as unknown as SendJobs,
    pino({ level: 'silent' }),
  );
  await recovery.run();
}

const ended = () =>
  database.query('select status, last_error as "lastError" from emails where id = $1', [lease.emailId]);

describe('with AMBIGUOUS_SEND=hold, an email whose worker was stopped for longer than its lease', () => {
  it('is sent if the worker returns with an acceptance within the delay', async () => {
    await recoverAfter(150);
    await state.markSent(lease, { providerId: 'p1', urls: [], sentAt: new Date(), recipients: [] });
    expect(await ended()).toEqual([{ status: 'sent', lastError: null }]);
  });

  it('is taken over without that delay from a recovery that did not finish', async () => {
    const emails = new AbandonedEmails(database);
    await expire();
    await emails.takeOver(1);
    await expire();
    expect(await emails.takeOver(1, 180_000)).toMatchObject([{ emailId: lease.emailId }]);
  });

  it('fails after the delay', async () => {
    await recoverAfter(200);
    expect(await ended()).toEqual([{ status: 'failed', lastError: expect.stringContaining('outcome unknown') }]);
  });
});
