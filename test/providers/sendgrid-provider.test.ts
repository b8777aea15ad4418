import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Mailbox, OutgoingEmail } from '../../src/providers/provider.js';
import { SendGridProvider } from '../../src/providers/sendgrid/sendgrid-provider.js';
import { outgoingEmail } from '../support/outgoing-email.js';
import {
  errorAnswer,
  SendGridStub,
  type Addressee,
  type SendGridRequest,
  type SendGridStep,
} from '../support/sendgrid-stub.js';
import { describeProvider, until, type Arrival, type Bench, type Situation } from './conformance.js';

const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW };
const patient = (): AbortSignal => AbortSignal.timeout(10_000);

function providerAt(url: string, apiKey = 'SG.key'): SendGridProvider {
  return new SendGridProvider({ apiKey, url, maxConnections: 2 }, clock);
}

const toMailbox = ({ email, name }: Addressee): Mailbox => ({ address: email, ...(name && { name }) });

function toArrival({ body }: SendGridRequest): Arrival {
  const { to = [], cc = [], bcc = [] } = body.personalizations[0] ?? {};
  return {
    messageId: body.headers?.['Message-ID']?.replace(/^<|>$/g, '') ?? '',
    from: toMailbox(body.from),
    ...(body.reply_to && { replyTo: toMailbox(body.reply_to) }),
    to: to.map(toMailbox),
    cc: cc.map(toMailbox),
    recipients: [...to, ...cc, ...bcc].map(({ email }) => email),
    subject: body.subject,
    text: body.content.find(({ type }) => type === 'text/plain')?.value ?? '',
    html: body.content.find(({ type }) => type === 'text/html')?.value ?? '',
  };
}

const steps: Record<Exclude<Situation, 'silent-before-content'>, SendGridStep> = {
  refused: errorAnswer(400, 'The from address does not match a verified Sender Identity', 'from'),
  'try-later': errorAnswer(503, 'Service unavailable'),
  'credential-refused': errorAnswer(401, 'The provided authorization grant is invalid'),
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

describeProvider('SendGrid', async (): Promise<Bench> => {
  const stub = await SendGridStub.listen();
  const deaf = await listenWithoutAnswer();
  const ordinary = providerAt(stub.url);
  // Over TLS nothing of the request leaves before the handshake: that is how silence before the content looks.
  const handshaking = providerAt(`https://127.0.0.1:${deaf.port}`);
  let current = ordinary;
  return {
    provider: {
      name: 'sendgrid',
      deliver: (email: OutgoingEmail, signal: AbortSignal) => current.deliver(email, signal),
      close: async () => void (await Promise.all([ordinary.close(), handshaking.close()])),
    },
    arrange: (situation, { emailId }) => {
      if (situation === 'silent-before-content') current = handshaking;
      else stub.scripts.add(emailId, steps[situation]);
    },
    relent: () => {
      current = ordinary;
      stub.scripts.clear();
    },
    arrivals: () => Promise.resolve(stub.messages.map(toArrival)),
    contacts: () => stub.requests.length,
    openConnections: () => stub.openConnections + deaf.sockets.size,
    unreachable: async () => {
      const gone = await listenWithoutAnswer();
      await gone.close();
      return providerAt(`http://127.0.0.1:${gone.port}`);
    },
    close: async () => {
      await Promise.all([ordinary.close(), handshaking.close()]);
      await Promise.all([stub.close(), deaf.close()]);
    },
  };
});

describe('SendGrid', () => {
  let stub: SendGridStub;
  let provider: SendGridProvider;
  beforeEach(async () => {
    stub = await SendGridStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  async function outcomeOf(...scripted: SendGridStep[]): Promise<unknown> {
    const email = outgoingEmail();
    for (const step of scripted) stub.scripts.add(email.emailId, step, 1);
    return provider.deliver(email, patient());
  }

  it('gives the X-Message-Id of SendGrid as the id, and ours when there is none', async () => {
    const email = outgoingEmail();
    expect(await provider.deliver(email, patient())).toEqual({ kind: 'accepted', providerId: 'sg-1' });
    stub.scripts.add('*', { status: 202 });
    expect(await provider.deliver(email, patient())).toEqual({ kind: 'accepted', providerId: email.messageId });
  });

  it('authorizes itself, carries our id and attempt, and leaves tracking to us', async () => {
    const email = outgoingEmail({ attempt: 7 });
    await provider.deliver(email, patient());
    const [request] = stub.requests;
    expect(request).toMatchObject({ emailId: email.emailId, attempt: 7 });
    expect(request?.headers.authorization).toBe('Bearer SG.key');
    expect(request?.body.custom_args['mailbeacon_message_id']).toBe(email.messageId);
    expect(request?.body.tracking_settings).toEqual({
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
      ganalytics: { enable: false },
    });
  });

  it('goes to everybody, each once, whatever the envelope says', async () => {
    const email = outgoingEmail({
      to: [{ address: 'a@example.test' }, { address: 'A@example.test' }],
      cc: [{ address: 'a@example.test' }, { address: 'b@example.test' }],
      bcc: [{ address: 'B@example.test' }],
      envelopeRecipients: ['b@example.test'],
    });
    expect((await provider.deliver(email, patient())).kind).toBe('accepted');
    expect(stub.requests[0]?.body.personalizations).toEqual([
      { to: [{ email: 'a@example.test' }], cc: [{ email: 'b@example.test' }] },
    ]);
  });

  it('sends no empty text part', async () => {
    await provider.deliver(outgoingEmail({ text: '' }), patient());
    expect(stub.requests[0]?.body.content).toEqual([{ type: 'text/html', value: '<p>Hello</p>' }]);
  });

  it.each([400, 404, 405, 406, 409, 411, 413, 415, 422, 451])('%i is refused for good', async (status) => {
    expect(await outcomeOf(errorAnswer(status, 'Something is wrong', 'subject'))).toEqual({
      kind: 'refused',
      reason: `SendGrid answered ${status}: Something is wrong (subject)`,
    });
  });

  it.each([
    [301, 'retry'],
    [401, 'credential-refused'],
    [403, 'credential-refused'],
    [408, 'retry'],
    [500, 'retry'],
    [502, 'ambiguous'],
    [503, 'retry'],
    [504, 'ambiguous'],
    [520, 'ambiguous'],
  ])('%i is %s', async (status, kind) => {
    const headers = { Location: 'http://127.0.0.1:9/elsewhere' };
    expect(await outcomeOf({ ...errorAnswer(status, 'x'), headers })).toMatchObject({ kind });
    expect(stub.requests).toHaveLength(1);
  });

  it('reads a gateway page as what its status means', async () => {
    const page = `<html><head><title>413</title></head>${'<hr>'.repeat(30_000)}</html>`;
    for (const body of ['<html>nginx</html>', page]) {
      expect(await outcomeOf({ status: 413, body })).toEqual({
        kind: 'refused',
        reason: 'SendGrid answered 413: Payload Too Large',
      });
    }
  });

  it('keeps reasons short and on one line', async () => {
    const outcome = (await outcomeOf(errorAnswer(400, 'no\r\nway '.repeat(1000)))) as { reason: string };
    expect(outcome.reason).toMatch(/^SendGrid answered 400: no way no way[^\r\n]*…$/);
    expect(outcome.reason.length).toBeLessThanOrEqual(500);
  });

  const seconds = NOW / 1000;
  it.each([
    ['reset in 20 s', { 'X-RateLimit-Reset': String(seconds + 20) }, 20_000],
    ['reset in the past', { 'X-RateLimit-Reset': String(seconds - 3600) }, 1000],
    ['reset in 2099', { 'X-RateLimit-Reset': '4070908800' }, 900_000],
    ['reset before Retry-After', { 'X-RateLimit-Reset': String(seconds + 20), 'Retry-After': '5' }, 20_000],
    ['nonsense, then Retry-After', { 'X-RateLimit-Reset': 'soon', 'Retry-After': '5' }, 5000],
    ['Retry-After as a date', { 'Retry-After': new Date(NOW + 90_000).toUTCString() }, 90_000],
    ['Retry-After 0', { 'Retry-After': '0' }, 1000],
    ['nonsense', { 'Retry-After': 'later' }, 30_000],
    ['nothing', {}, 30_000],
  ])('429 with %s pauses the credential', async (_, headers: Record<string, string>, pauseMs) => {
    const outcome = await outcomeOf({ ...errorAnswer(429, 'too many requests'), headers });
    expect(outcome).toEqual({ kind: 'throttled', reason: 'SendGrid answered 429: too many requests', pauseMs });
  });

  it('503 with Retry-After says when to try again', async () => {
    const headers = { 'Retry-After': '7' };
    expect(await outcomeOf({ ...errorAnswer(503, 'busy'), headers })).toMatchObject({ kind: 'retry', afterMs: 7000 });
  });

  it('a cut while the request is being sent is certainly not accepted; after it, nobody knows', async () => {
    const large = outgoingEmail({ html: 'x'.repeat(20_000_000) });
    stub.scripts.add('*', { fault: 'reset-before-body' }, 1);
    expect(await provider.deliver(large, patient())).toMatchObject({ kind: 'retry' });
    expect(await outcomeOf({ fault: 'reset' })).toMatchObject({ kind: 'ambiguous' });
    expect(await outcomeOf({ fault: 'close' })).toMatchObject({ kind: 'ambiguous' });
  });

  it('trusts a status whose body never ends', async () => {
    const email = outgoingEmail();
    stub.scripts.add(email.emailId, { fault: 'drip-body', status: 202 }, 1);
    stub.scripts.add(email.emailId, { fault: 'drip-body', status: 400 }, 1);
    const soon = (): AbortSignal => AbortSignal.timeout(150);
    expect(await provider.deliver(email, soon())).toEqual({ kind: 'accepted', providerId: 'sg-drip' });
    expect(await provider.deliver(email, soon())).toMatchObject({ kind: 'refused' });
    await until(() => stub.openConnections === 0);
  });

  it('calls an acceptance after the deadline ambiguous', async () => {
    const email = outgoingEmail();
    let accept = (): void => undefined;
    const after = new Promise<void>((resolve) => (accept = resolve));
    stub.scripts.add(email.emailId, { status: 202, after });
    expect(await provider.deliver(email, AbortSignal.timeout(150))).toMatchObject({ kind: 'ambiguous' });
    accept();
    expect(stub.messages).toHaveLength(1);
  });

  it('retries when the name does not resolve', async () => {
    const lost = providerAt('http://no-such-host.invalid');
    const outcome = await lost.deliver(outgoingEmail(), patient());
    expect(outcome).toEqual({ kind: 'retry', reason: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
  });

  it('retries when the TLS handshake fails', async () => {
    const plain = providerAt(stub.url.replace('http:', 'https:'));
    expect(await plain.deliver(outgoingEmail(), patient())).toMatchObject({ kind: 'retry' });
    await plain.close();
  });

  it('reuses its connections, within the bound', async () => {
    await Promise.all(Array.from({ length: 20 }, () => provider.deliver(outgoingEmail(), patient())));
    await provider.deliver(outgoingEmail(), patient());
    expect(stub.messages).toHaveLength(21);
    expect(stub.connectionsMade).toBeLessThanOrEqual(2);
  });

  it('keeps the key out of reasons', async () => {
    const secretive = providerAt(stub.url, 'SG.very-secret');
    stub.apiKey = 'SG.another';
    const outcome = await secretive.deliver(outgoingEmail(), patient());
    expect(outcome.kind).toBe('credential-refused');
    expect(JSON.stringify(outcome)).not.toContain('very-secret');
    await secretive.close();
  });
});

async function listenWithoutAnswer(): Promise<{ port: number; sockets: Set<Socket>; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.resume().once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, sockets, close };
}
