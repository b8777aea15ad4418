import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerAddress, type SMTPServerEnvelope } from 'smtp-server';
import { ReturnPathProvider } from '../../../src/emails/delivery/return-path-provider.js';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { readReturnPath } from '../../../src/links/return-path.js';
import type { DeliveryOutcome, OutgoingEmail } from '../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { keysWith } from '../../links/keys.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub, type SmtpPhase } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './smtp-bench.js';

const DOMAIN = 'bounces.example.com';
const keys = keysWith(1);
const trackingId = generateEmailTrackingId(keys, new Uint8Array(12));
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const [ada, bob] = ['ada@example.test', 'bob@example.test'].map((address) => ({ address }));

describe('the envelope sender is b+<token>@BOUNCE_DOMAIN (VERP)', () => {
  let stub: SmtpStub;
  let plain: SmtpProvider;
  let provider: ReturnPathProvider;
  beforeEach(async () => {
    stub = await SmtpStub.listen();
    plain = providerAt(stub.url);
    provider = new ReturnPathProvider(plain, () => keys, DOMAIN);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  const deliver = (changes: Partial<OutgoingEmail> = {}): Promise<DeliveryOutcome> =>
    provider.deliver(outgoingEmail({ trackingId, ...changes }), longDeadline(), claimed);
  const returnPath = (): unknown => readReturnPath(keys, stub.messages.at(-1)!.sender, DOMAIN);

  it('names email and recipient', async () => {
    await deliver({ to: [ada!], bcc: [bob!], envelopeRecipients: ['bob@example.test'] });
    expect(returnPath()).toEqual({ emailTrackingId: trackingId, position: 1 });
  });

  it('names only the email if one message goes to several recipients', async () => {
    await deliver({ to: [ada!], cc: [bob!] });
    expect(stub.messages[0]?.recipients).toHaveLength(2);
    expect(returnPath()).toEqual({ emailTrackingId: trackingId });
  });

  it('does not change From and the DKIM signature', async () => {
    const dkim = { domain: 'example.test', selector: 's1', privateKey };
    const email = outgoingEmail({ trackingId, dkim });
    await plain.deliver(email, longDeadline(), claimed);
    await provider.deliver(email, longDeadline(), claimed);
    const [without, withPath] = stub.messages.map(({ content }) => content.toString('latin1'));
    expect(stub.messages.map(({ sender }) => sender)).toEqual([
      email.from.address,
      expect.stringMatching(/^b\+[a-z2-7]{48}@bounces\.example\.com$/),
    ]);
    // Only the boundary of the parts differs.
    const shape = (text = ''): string[] => text.split('\r\n\r\n')[0]!.match(/^(from|dkim-signature):.*$/gim) ?? [];
    expect(shape(withPath)).toEqual(shape(without));
    expect(withPath).toContain('d=example.test');
  });

  it.each([
    ['mail', '553 5.1.8 Domain of sender address does not exist'],
    ['mail', '550 5.7.1 Sender not allowed'],
    ['mail', '501 bounces.example.com is not yours'],
    ['rcpt', '550 5.1.8 Sender address rejected: Domain not found'],
  ] as const)('is retried when the reply to %s is %s, because an operator must correct it', async (phase, reply) => {
    stub.scripts.add('*', { phase: phase as SmtpPhase, reply });
    const outcome = await deliver();
    expect(outcome).toMatchObject({ kind: 'retry' });
  });

  it('does not hide the refusal of a recipient', async () => {
    stub.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
    expect(await deliver()).toMatchObject({ kind: 'refused', recipients: [{ smtpStatus: '5.1.1' }] });
  });
});

describe('ORCPT where the server offers DSN', () => {
  const rcpts: SMTPServerAddress[] = [];
  let envelope: SMTPServerEnvelope;
  let server: SMTPServer;
  let provider: SmtpProvider;
  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      hideDSN: false,
      onRcptTo: (address, session, done) => {
        rcpts.push(address);
        envelope = session.envelope;
        done();
      },
      onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    provider = providerAt(`smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
  });
  beforeEach(() => rcpts.splice(0));
  afterAll(async () => {
    await provider.close();
    await new Promise<void>((resolve) => server.close(resolve));
  });
  const deliver = async (changes: Partial<OutgoingEmail>): Promise<void> => {
    const outcome = await provider.deliver(outgoingEmail(changes), longDeadline(), claimed);
    expect(outcome.kind).toBe('accepted');
  };

  it('names the recipient, and requests headers only', async () => {
    await deliver({ to: [{ address: 'ada+x=1@example.test' }], returnPath: `b+x@${DOMAIN}` });
    expect(rcpts[0]?.dsn).toEqual({ orcpt: 'rfc822;ada+x=1@example.test' });
    expect(envelope.dsn).toMatchObject({ ret: 'HDRS' });
  });

  it('names no recipient if there are several, or without our return path', async () => {
    await deliver({ to: [ada!, bob!], returnPath: `b+x@${DOMAIN}` });
    await deliver({ to: [ada!] });
    expect(rcpts).toHaveLength(3);
    for (const { dsn } of rcpts) expect(dsn?.orcpt).toBeUndefined();
  });
});
