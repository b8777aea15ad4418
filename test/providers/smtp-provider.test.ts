import { createServer, type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { simpleParser, type AddressObject } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { DeliveryOutcome, Mailbox } from '../../src/providers/provider.js';
import { SmtpProvider } from '../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../support/outgoing-email.js';
import { SmtpStub, type SmtpMessage, type SmtpPhase, type SmtpStep } from '../support/smtp-stub.js';
import { describeProvider, until, type Arrival, type Bench, type Situation } from './conformance.js';

const patient = (): AbortSignal => AbortSignal.timeout(10_000);
const soon = (): AbortSignal => AbortSignal.timeout(150);

function providerAt(url: string): SmtpProvider {
  return new SmtpProvider({ url, maxConnections: 2 });
}

function mailboxes(field: AddressObject | AddressObject[] | undefined): Mailbox[] {
  const objects = field === undefined ? [] : Array.isArray(field) ? field : [field];
  const people = objects.flatMap(({ value }) => value);
  return people.map(({ address = '', name }) => ({ address, ...(name && { name }) }));
}

async function toArrival({ content, recipients }: SmtpMessage): Promise<Arrival> {
  const mail = await simpleParser(content, { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true });
  const [from = { address: '' }] = mailboxes(mail.from);
  const [replyTo] = mailboxes(mail.replyTo);
  return {
    messageId: mail.messageId?.replace(/^<|>$/g, '') ?? '',
    from,
    ...(replyTo && { replyTo }),
    to: mailboxes(mail.to),
    cc: mailboxes(mail.cc),
    recipients,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html || '',
  };
}

const steps: Record<Situation, SmtpStep> = {
  refused: { phase: 'dot', reply: '550 5.7.1 Not wanted here' },
  'try-later': { phase: 'dot', reply: '451 4.3.0 Try again later' },
  'credential-refused': { phase: 'mail', reply: '530 5.7.0 Authentication required' },
  'cut-after-content': { phase: 'dot', fault: 'drop' },
  'silent-after-content': { phase: 'dot', fault: 'silence' },
  'drips-after-content': { phase: 'dot', fault: 'drip' },
  'silent-before-content': { phase: 'data', fault: 'silence' },
};

describeProvider('SMTP', async (): Promise<Bench> => {
  const stub = await SmtpStub.listen();
  const provider = providerAt(stub.url);
  return {
    provider,
    arrange: (situation, email) => {
      // Before the content, an address is all that the server knows.
      for (const key of [email.emailId, email.from.address]) stub.scripts.add(key, steps[situation]);
    },
    relent: () => stub.scripts.clear(),
    arrivals: () => Promise.all(stub.messages.map(toArrival)),
    contacts: () => stub.received.length,
    openConnections: () => stub.openConnections,
    unreachable: async () => {
      const gone = createServer();
      await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
      const { port } = gone.address() as AddressInfo;
      await new Promise((resolve) => gone.close(resolve));
      return providerAt(`smtp://127.0.0.1:${port}`);
    },
    close: async () => {
      await provider.close();
      await stub.close();
    },
  };
});

describe('SMTP', () => {
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
    expect((await provider.deliver(outgoingEmail(), soon())).kind).toBe(kind);
    await until(() => stub.openConnections === 0);
  });

  it('calls an acceptance after the deadline ambiguous', async () => {
    let accept = (): void => undefined;
    const after = new Promise<void>((resolve) => (accept = resolve));
    stub.scripts.add('*', { phase: 'dot', after });
    expect((await provider.deliver(outgoingEmail(), soon())).kind).toBe('ambiguous');
    accept();
    expect(stub.messages).toHaveLength(1);
  });

  describe('recipients', () => {
    const people = ['taken@example.test', 'later@example.test', 'never@example.test', 'idn@bücher.example'];
    const to = people.map((address) => ({ address }));

    it('are told apart', async () => {
      stub.scripts.add('later@example.test', { phase: 'rcpt', reply: '452 4.2.2 Mailbox full' });
      stub.scripts.add('never@example.test', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
      stub.scripts.add('idn@xn--bcher-kva.example', { phase: 'rcpt', reply: '450 4.2.1 Busy' });
      expect(await deliver({ to })).toEqual({
        kind: 'accepted',
        providerId: 'STUB1',
        recipients: [
          { address: people[0], state: 'accepted' },
          { address: people[1], state: 'deferred', reason: 'The SMTP server answered: 452 4.2.2 Mailbox full' },
          { address: people[2], state: 'refused', reason: 'The SMTP server answered: 550 5.1.1 No such user' },
          { address: people[3], state: 'deferred', reason: 'The SMTP server answered: 450 4.2.1 Busy' },
        ],
      });
      expect(stub.messages[0]?.recipients).toEqual(['taken@example.test']);
    });

    it('of the envelope alone get the message, while its headers show everybody', async () => {
      await deliver({ to, envelopeRecipients: ['later@example.test'] });
      const [message] = stub.messages;
      expect(message?.recipients).toEqual(['later@example.test']);
      expect(message?.content.toString()).toContain('taken@example.test');
    });

    it('all refused: refused; one of them only for now: retry', async () => {
      stub.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 4);
      expect((await deliver({ to })).kind).toBe('refused');
      stub.scripts.add('later@example.test', { phase: 'rcpt', reply: '450 4.2.1 Busy' });
      stub.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
      expect((await deliver({ to })).kind).toBe('retry');
      expect(stub.received).toEqual([]);
    });
  });

  describe('the wire', () => {
    it('shows no bcc, our Date and Message-ID, and lines that end in CRLF only', async () => {
      const email = outgoingEmail({ bcc: [{ address: 'hidden@example.test' }], html: 'é\n.\r.\r\n.\nx'.repeat(50) });
      await provider.deliver(email, patient());
      const [message] = stub.messages;
      const wire = message?.wire.toString('latin1') ?? '';
      expect(wire).not.toMatch(/hidden|^bcc/im);
      expect(wire).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
      expect(Math.max(...wire.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
      expect(wire).not.toMatch(/[^\x00-\x7f]/);
      expect(wire).toMatch(/^Date: Wed, 04 Mar 2026 05:06:07 \+0000\r$/m);
      expect(wire).toContain('multipart/alternative');
      expect(message).toMatchObject({ messageId: email.messageId, emailId: email.emailId });
      expect(message?.recipients).toContain('hidden@example.test');
    });

    it('reads no file and no address, whatever a body says', async () => {
      const html = { path: '/etc/hostname' } as unknown as string;
      await provider.deliver(outgoingEmail({ html }), patient()).catch(() => undefined);
      expect(stub.received).toEqual([]);
    });
  });

  describe('the pool', () => {
    it('reuses its connections, within the bound', async () => {
      await Promise.all(Array.from({ length: 20 }, () => deliver()));
      await deliver();
      expect(stub.messages).toHaveLength(21);
      expect(stub.connectionsMade).toBeLessThanOrEqual(2);
    });

    it('moves to a new connection when the server has ended the idle one', async () => {
      await deliver();
      stub.endIdleConnections();
      expect((await deliver()).kind).toBe('accepted');
      expect(stub.messages).toHaveLength(2);
    });
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

  it('verify says why there is no talking to the server', async () => {
    stub.scripts.add('*', { phase: 'connect', reply: '554 5.3.2 No service here' });
    await expect(provider.verify()).rejects.toThrow('No service here');
  });

  it('ignores path and query of the URL', async () => {
    const query = '/x?pool=false&maxConnections=99&disableFileAccess=false&tls.rejectUnauthorized=false&logger=true';
    const plain = providerAt(`${stub.url}${query}`);
    await Promise.all(Array.from({ length: 10 }, () => plain.deliver(outgoingEmail(), patient())));
    expect(stub.messages).toHaveLength(10);
    expect(stub.connectionsMade).toBeLessThanOrEqual(2);
    await plain.close();
  });

  it('retries when the name does not resolve', async () => {
    const lost = providerAt('smtp://no-such-host.invalid');
    const outcome = await lost.deliver(outgoingEmail(), patient());
    expect(outcome).toMatchObject({ kind: 'retry', reason: expect.stringContaining('resolved') });
    await lost.close();
  });
});

describe('SMTP with TLS', () => {
  // smtp-server comes with a certificate that nobody signed, which is just what must not be trusted.
  it.each([
    ['from the start', 'smtps', { secure: true }],
    ['by STARTTLS', 'smtp', { secure: false }],
  ])('%s: sends nothing to a server that cannot show who it is', async (_, protocol, options) => {
    let heard = 0;
    const silent = { info: () => 0, debug: () => 0, error: () => 0 } as never;
    const warning = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const server = new SMTPServer({
      ...options,
      authOptional: true,
      logger: silent,
      onMailFrom: (_address, _session, done) => (heard++, done()),
      onData: (stream, _session, done) => stream.resume().on('end', () => done()),
    });
    warning.mockRestore();
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const provider = providerAt(`${protocol}://127.0.0.1:${port}`);
    const outcome = await provider.deliver(outgoingEmail(), patient());
    expect(outcome).toEqual({ kind: 'retry', reason: expect.stringMatching(/CERT/) });
    expect(heard).toBe(0);
    await provider.close();
    await new Promise<void>((resolve) => server.close(resolve));
  });
});
