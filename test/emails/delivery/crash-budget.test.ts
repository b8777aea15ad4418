import type { LoadedEmail, EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { LeasedSend } from '../../../src/emails/delivery/leased-send.js';
import type { DeliveryNotifier } from '../../../src/emails/delivery/delivery-notifier.js';
import { EmailDelivery } from '../../../src/emails/delivery/email-delivery.js';
import type { EmailRendering } from '../../../src/emails/delivery/email-rendering.js';
import type { ProviderCalls } from '../../../src/emails/delivery/provider-calls.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';

/** What becomes of an email after so many crashes, and so many ends of its present job without a word. */
async function run(crashes: number, stalls: number): Promise<string[]> {
  const steps: string[] = [];
  const email = { id: 'e', status: 'queued', dueInMs: 0, attempts: 0, crashes } as LoadedEmail;
  const rendering = {
    render: () => {
      steps.push('render');
      return Promise.reject(new Error('busy'));
    },
  } as unknown as EmailRendering;
  const claimed = {
    run: async (_lease: unknown, _email: unknown, deliver: () => DeliveryOutcome | Promise<DeliveryOutcome>) => {
      steps.push((await deliver()).kind);
    },
  } as unknown as LeasedSend;
  const emails = { find: () => Promise.resolve(email) } as unknown as EmailLoader;
  const delivery = new EmailDelivery(emails, rendering, claimed, {} as DeliveryNotifier, {} as ProviderCalls);
  await delivery.run({ emailId: 'e' }, stalls);
  return steps;
}

const delivered = ['render', 'retry'];
const refused = ['refused'];

// What ends a worker before the claim is known to the queue alone: it counts as much as what Postgres has noted.
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
