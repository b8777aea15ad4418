import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import { pino } from 'pino';
import { DeliverEmail } from '../../../src/emails/delivery/deliver-email.js';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { EmailRendering } from '../../../src/emails/delivery/email-rendering.js';
import { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { ClaimForCalls, ProviderCalls } from '../../../src/emails/delivery/provider-calls.js';
import type { Database } from '../../../src/platform/database/database.js';
import type { DeliveryOutcome, HandOver } from '../../../src/providers/provider.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

const [ADA, BOB] = ['ada@example.com', 'bob@example.com'];

let opened: OpenTestDatabase;
let database: Database;
let state: DeliveryState;
let emailId: string;
/** The recipients of each copy that the provider has accepted. */
let copies: (readonly string[])[];
let recorded: string[];

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  emailId = (await dispatchEmails(database, 1))[0]!;
  await database.query('update email_contents set to_addresses = $1', [[ADA, BOB]]);
  [copies, recorded] = [[], []];
});
afterEach(() => opened.close());

/** Another worker reaches one of both, and the email is due again. */
async function reachAda(): Promise<void> {
  const lease = leaseOn(emailId);
  const { generation } = (await new EmailLoader(database).find(emailId))!;
  expect(await state.claim(lease, generation)).toBe(1);
  const recipients = [
    { address: ADA, state: 'accepted' },
    { address: BOB, state: 'deferred' },
  ] as const;
  const later = { reason: '450 Later', delayMs: 0, countsAsAttempt: true, providerId: 'p1' };
  expect(await state.postpone(lease, { ...later, recipients })).toBe(true);
}

/** One run of the job of the email, with this provider. */
function run(deliver: (email: LoadedEmail, handOver: HandOver) => Promise<DeliveryOutcome>): Promise<void> {
  const rendered = { subject: '', html: '', text: '', urls: [] };
  const settle = (_: DeliveryAttempt, { kind }: DeliveryOutcome) => Promise.resolve(recorded.push(kind) > 0);
  const delivery = new DeliverEmail(
    new EmailLoader(database),
    { render: () => Promise.resolve(rendered) } as unknown as EmailRendering,
    new HeldLeases(state, pino({ level: 'silent' })),
    {
      deliver: (...[, email, , by]: [unknown, LoadedEmail, unknown, ClaimForCalls]) =>
        deliver(email, () => by.allowsHandOver('p1')),
    } as unknown as ProviderCalls,
    { now: () => new Date(), settle } as unknown as DeliverySettlement,
  );
  return delivery.run({} as DeliveryProviders, { emailId }, 0);
}

async function complete({ message }: LoadedEmail, handOver: HandOver): Promise<DeliveryOutcome> {
  if (!(await handOver())) return { kind: 'retry', reason: 'called off' };
  copies.push(message.envelopeRecipients);
  return { kind: 'accepted', providerId: 'p2' };
}

describe('A worker that loaded an email before another one reached some of its recipients', () => {
  it('sends nobody a second copy; one that loads it again sends it to the others', async () => {
    await run(async (email, handOver) => {
      await reachAda();
      return complete(email, handOver);
    });
    expect([copies, recorded]).toEqual([[], []]);
    await run(complete);
    expect([copies, recorded]).toEqual([[[BOB]], ['accepted']]);
  });

  it('does not record that all of them were refused', async () => {
    await run(async () => {
      await reachAda();
      return { kind: 'refused', reason: '550 No such user' };
    });
    expect(recorded).toEqual([]);
  });
});
