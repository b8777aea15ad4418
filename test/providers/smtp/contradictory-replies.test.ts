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

const [TAKEN, GONE] = ['taken@example.test', 'gone@example.test'];
const deliver = (...addresses: readonly string[]): Promise<DeliveryOutcome> =>
  provider.deliver(outgoingEmail({ to: addresses.map((address) => ({ address })) }), longDeadline(), claimed);
const reply = (to: string, phase: SmtpPhase, text: string): void => stub.scripts.add(to, { phase, reply: text });

describe('a reply whose lines have different codes counts as its last line', () => {
  it('for a recipient', async () => {
    reply(GONE, 'rcpt', '250-2.1.5 Ok\r\n550 5.1.1 No such user');
    expect(await deliver(TAKEN, GONE)).toMatchObject({
      kind: 'accepted',
      recipients: [
        { address: TAKEN, state: 'accepted' },
        { address: GONE, state: 'refused' },
      ],
    });
  });

  it.each([
    ['250-2.0.0 Received\r\n554 5.7.1 Spam', 'refused'],
    ['250-2.0.0 Received\r\n451 4.3.0 Try again later', 'retry'],
    ['450-4.2.0 Checking\r\n250 2.0.0 Ok: queued as 1', 'accepted'],
    ['250-2.0.0 Ok\r\n250 2.0.0 Ok: queued as 1', 'accepted'],
  ])('for the message: %j is %s', async (text, kind) => {
    reply(TAKEN, 'dot', text);
    expect(await deliver(TAKEN)).toMatchObject({ kind });
  });
});
