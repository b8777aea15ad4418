import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub, type SmtpPhase } from '../../support/smtp-stub.js';
import { patient, until } from '../bench.js';
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

  const deliver = (changes = {}): Promise<DeliveryOutcome> => provider.deliver(outgoingEmail(changes), patient());

  /** A delivery whose deadline comes when `condition` holds. */
  async function deliverUntil(condition: () => boolean): Promise<DeliveryOutcome> {
    const deadline = new AbortController();
    const delivery = provider.deliver(outgoingEmail(), deadline.signal);
    await until(condition);
    deadline.abort();
    return delivery;
  }

  const phases: SmtpPhase[] = ['connect', 'ehlo', 'mail', 'rcpt', 'data', 'dot'];
  it.each(phases.flatMap((phase) => ['421', '450', '451', '452'].map((code) => [phase, code] as const)))(
    '%s answered %s: retry',
    async (phase, code) => {
      stub.scripts.add('*', { phase, reply: `${code} 4.3.2 Not now` });
      const reason = expect.stringContaining(`${code} 4.3.2 Not now`);
      expect(await deliver()).toEqual({ kind: 'retry', reason });
    },
  );

  it.each(['mail', 'rcpt', 'data', 'dot'].flatMap((phase) => ['550', '552', '554'].map((code) => [phase, code])))(
    '%s answered %s: refused',
    async (phase, code) => {
      stub.scripts.add('*', { phase: phase as SmtpPhase, reply: `${code} 5.0.0 Never` });
      const reason = expect.stringContaining(`${code} 5.0.0 Never`);
      expect(await deliver()).toEqual({ kind: 'refused', reason });
      expect(stub.openConnections).toBe(1);
    },
  );

  it.each([
    ['connect', '554 5.3.2 No service here', 'retry'],
    ['mail', '503 5.5.1 Bad sequence', 'retry'],
    ['rcpt', '552 5.5.3 Too many recipients', 'retry'],
    ['mail', '530 5.7.0 Authentication required', 'credential-refused'],
    ['dot', '535 5.7.8 Log in again', 'credential-refused'],
  ] as const)('%s answered %s: %s', async (phase, reply, kind) => {
    stub.scripts.add('*', { phase, reply });
    expect((await deliver()).kind).toBe(kind);
  });

  it.each([
    ['connect', 'retry'],
    ['ehlo', 'retry'],
    ['mail', 'retry'],
    ['rcpt', 'retry'],
    ['data', 'retry'],
    ['content', 'ambiguous'],
    ['dot', 'ambiguous'],
  ] as const)('cut at %s: %s', async (phase, kind) => {
    stub.scripts.add('*', { phase, fault: 'drop' });
    expect((await deliver()).kind).toBe(kind);
    expect(stub.received).toHaveLength(phase === 'dot' ? 1 : 0);
  });

  it.each([
    ['connect', 'retry'],
    ['ehlo', 'retry'],
    ['mail', 'retry'],
    ['rcpt', 'retry'],
    ['data', 'retry'],
    ['dot', 'ambiguous'],
  ] as const)('endless lines at %s: %s at the deadline, and the connection is gone', async (phase, kind) => {
    stub.scripts.add('*', { phase, fault: 'drip' });
    expect((await deliverUntil(() => stub.scripts.played > 0)).kind).toBe(kind);
    await until(() => stub.openConnections === 0);
  });

  it('calls an acceptance after the deadline ambiguous', async () => {
    let accept = (): void => undefined;
    const after = new Promise<void>((resolve) => (accept = resolve));
    stub.scripts.add('*', { phase: 'dot', after });
    expect((await deliverUntil(() => stub.scripts.played > 0)).kind).toBe('ambiguous');
    accept();
    expect(stub.messages).toHaveLength(1);
  });

  describe('credentials', () => {
    it('are given, also with characters that a URL must escape', async () => {
      stub.credentials = { user: 'mailer', pass: 'p@ss:w/rd%é' };
      const known = providerAt(stub.url);
      expect((await known.deliver(outgoingEmail(), patient())).kind).toBe('accepted');
      await expect(known.verify()).resolves.toBeUndefined();
      await known.close();
    });

    it.each([
      ['535 5.7.8 Wrong', 'credential-refused'],
      ['534 5.7.9 Too weak', 'credential-refused'],
      ['454 4.7.0 Temporary failure', 'retry'],
      ['421 4.7.0 Closing', 'retry'],
    ])('answered %s: %s', async (reply, kind) => {
      stub.credentials = { user: 'mailer', pass: 'secret' };
      stub.scripts.add('*', { phase: 'auth', reply });
      const known = providerAt(stub.url);
      const outcome = await known.deliver(outgoingEmail(), patient());
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
  ])('reads the queue id from %s', async (reply, id) => {
    stub.scripts.add('*', { phase: 'dot', reply });
    const email = outgoingEmail();
    const outcome = await provider.deliver(email, patient());
    expect(outcome).toEqual({ kind: 'accepted', providerId: id ?? email.messageId });
  });
});
