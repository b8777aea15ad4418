import { pino } from 'pino';
import { AbandonedEmails } from '../../../src/emails/delivery/abandoned-emails.js';
import type { DeliveryNotifier } from '../../../src/emails/delivery/delivery-notifier.js';
import { DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EmailRecovery } from '../../../src/emails/delivery/email-recovery.js';
import { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import { listUnknownOutcomes } from '../../../src/emails/delivery/unknown-outcomes.js';
import type { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import type { SendJobs } from '../../../src/emails/dispatch/send-jobs.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

let open: OpenTestDatabase;
beforeEach(async () => void (open = await openTestDatabase()));
afterEach(() => open?.close());

it.each([
  ['resend', 'waiting'],
  ['hold', 'failed'],
] as const)('with %s, operators find an email whose last worker died with a claim: %s', async (mode, found) => {
  const { database } = open;
  const state = new DeliveryState(database, new WebhookOutbox());
  const [emailId] = await dispatchEmails(database, 1);
  await state.claim(leaseOn(emailId!), 0);
  await database.query(`update pending_emails set crashes = 20, lease_until = now() - interval '1 s'`);
  const notifier = { failed: () => Promise.resolve() } as unknown as DeliveryNotifier;
  const settings = { AMBIGUOUS_SEND: mode, AMBIGUOUS_RESEND_AFTER_MS: 0 };
  const recovery = new EmailRecovery(
    new AbandonedEmails(database),
    new EmailLoader(database),
    new DeliverySettlement(database, state, notifier, settings, systemClock),
    {} as DispatchWindow,
    { add: () => Promise.resolve() } as unknown as SendJobs,
    pino({ level: 'silent' }),
  );
  await recovery.run();
  expect(await database.query('select crashes from pending_emails where lease_token is not null')).toEqual([]);
  expect(await listUnknownOutcomes(database, null, 10)).toMatchObject([{ id: emailId, state: found }]);
});
