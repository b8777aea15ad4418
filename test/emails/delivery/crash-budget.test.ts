import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import { pino } from 'pino';
import { DeliverEmail } from '../../../src/emails/delivery/deliver-email.js';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { EmailRendering } from '../../../src/emails/delivery/email-rendering.js';
import { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import type { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { ProviderCalls } from '../../../src/emails/delivery/provider-calls.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';

/** The result for an email after this many crashes, and after this many times that its current job stalled. */
async function run(crashes: number, stalls: number): Promise<string[]> {
  const steps: string[] = [];
  const message = { envelopeRecipients: ['a@example.com'] };
  const email = { id: 'e', status: 'queued', dueInMs: 0, attempts: 0, crashes, message } as unknown as LoadedEmail;
  const rendering = {
    render: () => {
      steps.push('render');
      return Promise.reject(new Error('busy'));
    },
  } as unknown as EmailRendering;
  const state = { claim: () => Promise.resolve(1) } as unknown as DeliveryState;
  const settlement = {
    now: () => new Date(),
    settle: (_: DeliveryAttempt, { kind }: DeliveryOutcome) => Promise.resolve(void steps.push(kind)),
  } as unknown as DeliverySettlement;
  const emails = { find: () => Promise.resolve(email) } as unknown as EmailLoader;
  const leases = new HeldLeases(state, pino({ level: 'silent' }));
  const delivery = new DeliverEmail(emails, rendering, leases, {} as ProviderCalls, settlement);
  await delivery.run({} as DeliveryProviders, { emailId: 'e' }, stalls);
  return steps;
}

const delivered = ['render', 'retry'];
const refused = ['refused'];

// Only the queue knows of a worker that died before the claim. That counts as much as a crash recorded in Postgres.
it.each([
  [0, 0, delivered],
  [20, 0, delivered],
  [0, 20, delivered],
  [10, 10, delivered],
  [21, 0, refused],
  [0, 21, refused],
  [10, 11, refused],
])('after %d crashes and %d stalls of its job an email is: %j', async (crashes, stalls, steps) => {
  expect(await run(crashes, stalls)).toEqual(steps);
});
