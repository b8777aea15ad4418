import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub, type SmtpPhase } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './smtp-bench.js';

let stub: SmtpStub;
let provider: SmtpProvider;
beforeEach(async () => {
  stub = await SmtpStub.listen();
  provider = providerAt(stub.url);
});
afterEach(async () => {
  await provider.close();
  await stub.close();
});

const [TAKEN, SECOND, GONE, BUSY] = [
  'taken@example.test',
  'second@example.test',
  'gone@example.test',
  'busy@example.test',
];
const deliver = (...addresses: readonly string[]): Promise<DeliveryOutcome> =>
  deliverUntil(longDeadline(), ...addresses);
const deliverUntil = (signal: AbortSignal, ...addresses: readonly string[]): Promise<DeliveryOutcome> =>
  provider.deliver(outgoingEmail({ to: addresses.map((address) => ({ address })) }), signal, claimed);
const reply = (to: string, phase: SmtpPhase, text: string): void => stub.scripts.add(to, { phase, reply: text });

describe('a recipient that the server refused before it refused the message', () => {
  beforeEach(() => {
    reply(GONE, 'rcpt', '550 5.1.1 No such user');
    reply(BUSY, 'rcpt', '450 4.2.1 Busy');
  });
  const gone = {
    ...{ address: GONE, state: 'refused', smtpStatus: '5.1.1' },
    reason: 'The SMTP server responded: 550 5.1.1 No such user',
  };
  const busy = { address: BUSY, state: 'deferred', smtpStatus: '4.2.1' };

  it.each(['data', 'dot'] as const)('stays refused when the message is refused for now at %s', async (phase) => {
    reply(TAKEN, phase, '451 4.3.0 Try again later');
    const outcome = await deliver(TAKEN, SECOND, GONE, BUSY);
    const reason = 'The SMTP server responded: 451 4.3.0 Try again later';
    expect(outcome).toMatchObject({ kind: 'retry', reason, recipients: [gone, busy] });
  });

  it.each(['data', 'dot'] as const)('has its own reason when the message is refused for good at %s', async (phase) => {
    reply(TAKEN, phase, '554 5.7.1 Spam');
    const reason = 'The SMTP server responded: 554 5.7.1 Spam';
    expect(await deliver(TAKEN, SECOND, GONE)).toMatchObject({ kind: 'refused', reason, recipients: [gone] });
  });

  it.each(['drop', 'silence'] as const)('stays refused when the outcome is unknown after %s', async (fault) => {
    const signal = fault === 'drop' ? longDeadline() : AbortSignal.timeout(500);
    stub.scripts.add(TAKEN, { phase: 'dot', fault });
    const outcome = await deliverUntil(signal, TAKEN, SECOND, GONE, BUSY);
    expect(outcome).toMatchObject({ kind: 'ambiguous', recipients: [gone, busy] });
  });

  it('does not hide that the refusal of the message is about the only other one', async () => {
    reply(TAKEN, 'dot', '550 5.1.1 No mailbox here by that name');
    const taken = { address: TAKEN, state: 'refused', smtpStatus: '5.1.1' };
    expect(await deliver(TAKEN, GONE)).toMatchObject({ kind: 'refused', recipients: [taken, gone] });
  });

  it('is not reported when the sender was refused, because the server did not look at it', async () => {
    reply(GONE, 'mail', '550 5.1.0 Not from you');
    stub.scripts.add('*', { phase: 'mail', reply: '550 5.1.0 Not from you' });
    expect(await deliver(TAKEN, GONE)).not.toHaveProperty('recipients');
  });
});
