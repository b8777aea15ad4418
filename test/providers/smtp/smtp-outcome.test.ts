import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub, type SmtpPhase } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { providerAt } from './smtp-bench.js';

describe('replies of an SMTP server', () => {
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

  const deliver = (changes = {}): Promise<DeliveryOutcome> =>
    provider.deliver(outgoingEmail(changes), longDeadline(), claimed);

  /** A delivery whose deadline is reached when `condition` holds. */
  async function deliverUntil(condition: () => boolean): Promise<DeliveryOutcome> {
    const deadline = new AbortController();
    const delivery = provider.deliver(outgoingEmail(), deadline.signal, claimed);
    await eventually(condition);
    deadline.abort();
    return delivery;
  }

  const phases: SmtpPhase[] = ['connect', 'ehlo', 'mail', 'rcpt', 'data', 'dot'];
  it.each(phases.flatMap((phase) => ['421', '450', '451', '452'].map((code) => [phase, code] as const)))(
    'reply to %s is %s: retry',
    async (phase, code) => {
      stub.scripts.add('*', { phase, reply: `${code} 4.3.2 Not now` });
      const reason = expect.stringContaining(`${code} 4.3.2 Not now`);
      expect(await deliver()).toEqual({ kind: 'retry', reason });
    },
  );

  it.each(['mail', 'rcpt', 'data', 'dot'].flatMap((phase) => ['550', '552', '554'].map((code) => [phase, code])))(
    'reply to %s is %s: refused',
    async (phase, code) => {
      stub.scripts.add('*', { phase: phase as SmtpPhase, reply: `${code} 5.0.0 Never` });
      const reason = expect.stringContaining(`${code} 5.0.0 Never`);
      const recipient = { address: 'reader@example.test', state: 'refused', reason, smtpStatus: '5.0.0' };
      const isAboutRecipient = phase !== 'mail';
      expect(await deliver()).toEqual({
        kind: 'refused',
        reason,
        ...(isAboutRecipient && { recipients: [recipient] }),
      });
      expect(stub.openConnections).toBe(1);
    },
  );

  it.each([
    ['connect', '554 5.3.2 No service here', 'retry'],
    ['mail', '503 5.5.1 Bad sequence', 'retry'],
    ['rcpt', '552 5.5.3 Too many recipients', 'retry'],
    ['mail', '530 5.7.0 Authentication required', 'retry'],
    ['mail', '535 5.7.8 Log in again', 'retry'],
    ['rcpt', '530 5.7.1 <jane@example.test>: authentication required to relay', 'refused'],
    ['rcpt', '535 5.7.8 Log in again', 'refused'],
    ['data', '538 5.7.11 Encryption required', 'refused'],
    ['dot', '535 5.7.8 Log in again', 'refused'],
  ] as const)('reply to %s is %s: %s', async (phase, reply, kind) => {
    stub.scripts.add('*', { phase, reply });
    const outcome = await deliver();
    expect(outcome.kind).toBe(kind);
    expect(outcome).not.toHaveProperty('about');
  });

  it('reply to dot is 354, which makes no sense there: ambiguous', async () => {
    stub.scripts.add('*', { phase: 'dot', reply: '354 Go on' });
    expect((await deliver()).kind).toBe('ambiguous');
  });

  it.each([
    ['mail', '530 5.7.1 <Ada@Acme.Example>: authentication required to send as this address'],
    ['mail', '530 5.7.0 Authentication required for mail from acme.example'],
    ['mail', '553 5.7.1 <ada@acme.example>: Sender address rejected: not owned by user'],
    ['mail', '550 5.1.8 Bad sender system address'],
    ['rcpt', '553 5.7.1 <ada@acme.example>: Sender address rejected: not owned by user'],
    ['dot', '554 5.7.60 SMTP; Client does not have permissions to send as this sender'],
  ] as const)('reply to %s is %s: refused because of the sender', async (phase, reply) => {
    stub.scripts.add('*', { phase, reply });
    expect(await deliver({ from: { address: 'ada@acme.example' } })).toMatchObject({
      kind: 'refused',
      about: 'sender',
    });
  });

  it.each(['ada@acme.example', 'b+path@bounces.example.com'])(
    'does not mistake the refusal of a recipient for one of the sender, even if it names %s',
    async (named) => {
      stub.scripts.add('*', { phase: 'rcpt', reply: `550 5.1.1 No such user. Sender <${named}>, questions to us` });
      const outcome = await deliver({
        from: { address: 'ada@acme.example' },
        returnPath: 'b+path@bounces.example.com',
      });
      expect(outcome).toMatchObject({ kind: 'refused', recipients: [{ state: 'refused', smtpStatus: '5.1.1' }] });
      expect(outcome).not.toHaveProperty('about');
    },
  );

  it.each(['550 5.1.1 <ada@acme.example>: no such user', '554 5.7.1 <ada@acme.example>: Recipient address rejected'])(
    'does not mistake the refusal of a recipient for one of the sender, even if both are the same address: %s',
    async (reply) => {
      stub.scripts.add('*', { phase: 'rcpt', reply });
      const ada = { address: 'ada@acme.example' };
      const outcome = await deliver({ from: ada, to: [ada], envelopeRecipients: [ada.address] });
      expect(outcome.kind).toBe('refused');
      expect(outcome).not.toHaveProperty('about');
    },
  );

  it.each([
    ['connect', 'retry'],
    ['ehlo', 'retry'],
    ['mail', 'retry'],
    ['rcpt', 'retry'],
    ['data', 'retry'],
    ['content', 'ambiguous'],
    ['dot', 'ambiguous'],
  ] as const)('connection cut at %s: %s', async (phase, kind) => {
    stub.scripts.add('*', { phase, fault: 'drop' });
    expect((await deliver()).kind).toBe(kind);
    expect(stub.received).toHaveLength(phase === 'dot' ? 1 : 0);
  });

  it('connection cut in the middle of the content: retry, because no server accepts half a message', async () => {
    stub.scripts.add('*', { phase: 'content', fault: 'drop' });
    const html = `<p>${'x'.repeat(200_000)}</p>`;
    const untilCut = async (): Promise<boolean> => {
      await eventually(() => stub.scripts.played > 0 && stub.openConnections === 0);
      return true;
    };
    const outcome = await provider.deliver(outgoingEmail({ html }), longDeadline(), untilCut);
    expect(outcome.kind).toBe('retry');
    expect(stub.received).toHaveLength(0);
  });

  it.each([
    ['connect', 'retry'],
    ['ehlo', 'retry'],
    ['mail', 'retry'],
    ['rcpt', 'retry'],
    ['data', 'retry'],
    ['dot', 'ambiguous'],
  ] as const)('endless lines at %s: %s at the deadline, and the connection is closed', async (phase, kind) => {
    stub.scripts.add('*', { phase, fault: 'drip' });
    expect((await deliverUntil(() => stub.scripts.played > 0)).kind).toBe(kind);
    await eventually(() => stub.openConnections === 0);
  });

  it('reports an acceptance after the deadline as ambiguous', async () => {
    let accept = (): void => undefined;
    const after = new Promise<void>((resolve) => (accept = resolve));
    stub.scripts.add('*', { phase: 'dot', after });
    expect((await deliverUntil(() => stub.scripts.played > 0)).kind).toBe('ambiguous');
    accept();
    expect(stub.messages).toHaveLength(1);
  });

  describe('credentials', () => {
    it('are sent, even with characters that a URL must escape', async () => {
      stub.credentials = { user: 'mailer', pass: 'p@ss:w/rd%é' };
      const known = providerAt(stub.url);
      expect((await known.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('accepted');
      await known.close();
    });

    it.each([
      ['535 5.7.8 Wrong', 'credential-refused'],
      ['534 5.7.9 Too weak', 'credential-refused'],
      ['454 4.7.0 Temporary failure', 'retry'],
      ['421 4.7.0 Closing', 'retry'],
    ])('refused with %s: %s', async (reply, kind) => {
      stub.credentials = { user: 'mailer', pass: 'secret' };
      stub.scripts.add('*', { phase: 'auth', reply });
      const known = providerAt(stub.url);
      const outcome = await known.deliver(outgoingEmail(), longDeadline(), claimed);
      expect(outcome.kind).toBe(kind);
      expect(JSON.stringify(outcome)).not.toContain('secret');
      await known.close();
    });
  });

  it.each([
    ['250 2.0.0 Ok: queued as 4XyZ12abcD', '4XyZ12abcD'],
    ['250 OK id=1tABCd-000000012AB-3xYz', '1tABCd-000000012AB-3xYz'],
    ['250 2.0.0 5A1B2C3D012345 Message accepted for delivery', '5A1B2C3D012345'],
    [
      '250 Ok 010001957f3c1a2b-4d5e-6f70-8192-a3b4c5d6e7f8-000000',
      '010001957f3c1a2b-4d5e-6f70-8192-a3b4c5d6e7f8-000000',
    ],
    ['250 Great success', undefined],
  ])('reads the queue ID from %s', async (reply, id) => {
    stub.scripts.add('*', { phase: 'dot', reply });
    const email = outgoingEmail();
    const outcome = await provider.deliver(email, longDeadline(), claimed);
    expect(outcome).toEqual({ kind: 'accepted', providerId: id ?? email.messageId, response: reply });
  });
});
