import { pino } from 'pino';
import { DkimSigningProvider, type SenderRights } from '../../../src/emails/delivery/dkim-signing-provider.js';
import type { DeliveryOutcome, DeliveryProvider } from '../../../src/providers/provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';

const ACCEPTED: DeliveryOutcome = { kind: 'accepted', providerId: 'x' };

/** Delivers an email from the domain of the service, alone and in a batch. */
async function outcomesOf(isOwnProvider: boolean): Promise<string[]> {
  const deliver = () => Promise.resolve(ACCEPTED);
  const plain: DeliveryProvider = {
    ...{ name: 'stub', deliver, close: () => Promise.resolve() },
    batch: { maxRecipients: 2, takes: () => true, deliver },
  };
  const rights = { platformDomain: 'service.example', isOwnProvider } as SenderRights;
  const provider = new DkimSigningProvider(plain, rights, pino({ level: 'silent' }));
  const email = { ...outgoingEmail(), organizationId: 'one', from: { address: 'acme@service.example' } };
  const signal = AbortSignal.timeout(1_000);
  const alone = await provider.deliver(email, signal, () => Promise.resolve(true));
  const batch = await provider.batch!.deliver({ ...email, tags: [] }, [], signal, () => Promise.resolve([]));
  return [alone.kind, batch.kind];
}

it('mail from the domain of the service goes through its own providers only', async () => {
  expect(await outcomesOf(false)).toEqual(['accepted', 'accepted']);
  // Its sender may move there after it was decided which providers send the email.
  expect(await outcomesOf(true)).toEqual(['retry', 'refused']);
});
