import { SigningMemory } from '../../../src/providers/smtp/signing-memory.js';
import { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { eventually } from '../../support/eventually.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';

let stub: SmtpStub;
let provider: SmtpProvider;

beforeEach(async () => {
  stub = await SmtpStub.listen();
  provider = new SmtpProvider({ url: stub.url, maxConnections: 1 });
});
afterEach(async () => {
  await provider.close();
  await stub.close();
});

it('a server that does not reply to RSET holds up the next message for seconds only', async () => {
  stub.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
  stub.scripts.add('*', { phase: 'rset', fault: 'silence' }, 1);
  expect((await provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('refused');
  const outcome = await provider.deliver(outgoingEmail(), AbortSignal.timeout(20_000), claimed);
  expect(outcome.kind).toBe('accepted');
});

it('a message that gets no free connection in time does not make the server unreachable', async () => {
  let go = (): void => undefined;
  const after = new Promise<void>((resolve) => (go = resolve));
  const slow = outgoingEmail();
  stub.scripts.add(slow.from.address, { phase: 'data', after }, 1);
  const first = provider.deliver(slow, longDeadline(), claimed);
  await eventually(() => stub.scripts.played === 1);
  const outcome = await provider.deliver(outgoingEmail(), AbortSignal.timeout(50), claimed);
  expect(outcome).toEqual({
    kind: 'retry',
    reason: 'No connection to the SMTP server became free in time',
    untried: true,
  });
  go();
  expect((await first).kind).toBe('accepted');
});

describe('a message with attachments', () => {
  /** Counts how often the attachment is read. */
  function countedAttachment() {
    const attachment = outgoingAttachment(Buffer.alloc(200_000));
    const counted = { ...attachment, reads: 0 };
    counted.read = () => {
      counted.reads += 1;
      return attachment.read();
    };
    return counted;
  }

  it('is uploaded once if another worker has the email', async () => {
    const attachment = countedAttachment();
    const email = outgoingEmail({ attachments: [attachment] });
    expect((await provider.deliver(email, longDeadline(), () => Promise.resolve(false))).kind).toBe('retry');
    expect([attachment.reads, stub.connectionsMade, stub.received.length]).toEqual([1, 1, 0]);
  });

  it('waits for its signature no longer than for its deadline, and the server stays reachable', async () => {
    const memory = new SigningMemory();
    const { signal } = new AbortController();
    let end = (): void => undefined;
    const held = memory.hold(64 * 1024 * 1024, () => new Promise<void>((resolve) => (end = resolve)), signal);
    const signing = new SmtpProvider({ url: stub.url, maxConnections: 1, signingMemory: memory });
    const dkim = { domain: 'example.test', selector: 's', privateKey: 'unused' } as never;
    const email = outgoingEmail({ attachments: [countedAttachment()], dkim });
    const outcome = await signing.deliver(email, AbortSignal.timeout(50), claimed);
    expect(outcome).toEqual({
      kind: 'retry',
      reason: 'Other emails with attachments took too long to be signed',
      untried: true,
    });
    end();
    await held;
    // The next one gets its turn.
    expect(await memory.hold(1, () => Promise.resolve('done'), signal)).toBe('done');
    await signing.close();
  });
});
