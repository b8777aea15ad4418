import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { addOwnProvider, changeOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';

let sendGrid: SendGridStub;
let own: SmtpStub;
let service: TestService;
/** Has its own providers, as each test needs them. */
let acme: TestClient;
/** Has none. */
let other: TestClient;

beforeAll(async () => {
  [sendGrid, own] = await Promise.all([SendGridStub.listen(), SmtpStub.listen()]);
  service = await TestService.start({
    environment: {
      SENDGRID_API_URL: sendGrid.url,
      AMBIGUOUS_RESEND_AFTER_MS: '0',
      SEND_RESPONSE_TIMEOUT_MS: '3000',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      WORKER_CONCURRENCY: '4',
    },
  });
  [acme, other] = await Promise.all([service.organization(), service.organization()]);
  await verifyWithoutDns(service, acme.organizationId, 'acme.example');
});
beforeEach(async () => {
  for (const stub of [sendGrid, own, service.mailServer]) stub.scripts.clear();
  await service.database.query('delete from organization_providers');
  // Mail that still waits for the provider of an earlier test would go through that of this one.
  await service.database.query('delete from pending_emails where lease_token is null');
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([sendGrid?.close(), own?.close()]);
});

let sent = 0;
async function send(client: TestClient, from = 'a@acme.example') {
  const email = { to: `reader-${++sent}@example.com`, subject: 'S', htmlContent: '<p>x</p>' };
  const { status, body } = await client.post<SendResponse>('/api/send', { from, ...email });
  return { status, email: (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body };
}

const statusOf = async (client: TestClient, id: string) =>
  (await client.get<EmailDetail>(`/api/emails/${id}`)).body.status;

async function deliver(client: TestClient, from?: string): Promise<void> {
  const { email } = await send(client, from);
  await eventually(async () => (await statusOf(client, email.id)) === 'sent');
}

/** Adds a provider, and waits until workers look for those of organizations. */
async function add(provider: Parameters<typeof addOwnProvider>[2] = { credentials: { url: own.url } }) {
  const id = await addOwnProvider(service, acme.organizationId, provider);
  await eventually(async () => {
    const counts = await accepted(() => deliver(acme));
    return counts.own + counts.sendGrid > 0;
  });
  return id;
}

const stateOf = async (client: TestClient) => (await client.get<SendingStateView>('/api/sending')).body.provider.state;

/** Runs something, and returns how many emails each provider has accepted meanwhile. */
async function accepted(run: () => Promise<unknown>): Promise<{ own: number; service: number; sendGrid: number }> {
  const counts = () => [own, service.mailServer, sendGrid].map(({ messages }) => messages.length);
  const before = counts();
  await run();
  const [ours, services, apis] = counts().map((count, index) => count - before[index]!);
  return { own: ours!, service: services!, sendGrid: apis! };
}

it('sends mail from verified domains through the own provider, and only for its organization', async () => {
  await add();
  expect(await accepted(() => deliver(acme))).toEqual({ own: 1, service: 0, sendGrid: 0 });
  expect(await accepted(() => deliver(other))).toEqual({ own: 0, service: 1, sendGrid: 0 });
});

it('sends mail with the sender of the service through its provider', async () => {
  await add();
  expect(await accepted(() => deliver(acme, 'a@unverified.example'))).toEqual({ own: 0, service: 1, sendGrid: 0 });
});

it('returns to the providers of the service once the last own provider is deleted', async () => {
  await add();
  await service.database.query('delete from organization_providers');
  expect(await accepted(() => deliver(acme))).toEqual({ own: 0, service: 1, sendGrid: 0 });
});

it('moves mail to the next own provider, and never to one of the service', async () => {
  await add();
  await addOwnProvider(service, acme.organizationId, { type: 'sendgrid', credentials: { apiKey: 'SG.own' } });
  own.scripts.add('*', { phase: 'mail', reply: '451 4.3.0 Later' });
  sendGrid.scripts.add('*', sendGridError(503, 'Later'), 1);
  const counts = await accepted(() => deliver(acme));
  expect(counts).toEqual({ own: 0, service: 0, sendGrid: 1 });
  expect(sendGrid.requests.at(-1)!.headers.authorization).toBe('Bearer SG.own');
});

it('a wrong credential holds the mail of its organization only, and a changed one is used at once', async () => {
  await add();
  await service.database.query('delete from organization_providers');
  own.credentials = { user: 'ada', pass: 'right' };
  try {
    const credentials = { url: own.url.replace('right', 'wrong') };
    const id = await addOwnProvider(service, acme.organizationId, { credentials });
    const { email } = await send(acme);
    await eventually(async () => (await stateOf(acme)) === 'credential-refused');
    await eventually(async () => (await statusOf(acme, email.id)) === 'queued');
    expect(await stateOf(other)).toBe('available');
    expect(await accepted(() => deliver(other))).toEqual({ own: 0, service: 1, sendGrid: 0 });
    await changeOwnProvider(service, id, { url: own.url });
    expect(await accepted(() => deliver(acme))).toEqual({ own: 1, service: 0, sendGrid: 0 });
  } finally {
    own.credentials = undefined;
  }
});

it('mail is held while its credentials cannot be opened', async () => {
  await add();
  await service.database.query(`update organization_providers set sealed_credentials = 'v1.lost.x', version = 2`);
  const { status, email } = await send(acme);
  expect(status).toBe(202);
  await eventually(async () => (await stateOf(acme)) === 'credential-refused');
  await eventually(async () => (await statusOf(acme, email.id)) === 'queued');
  expect((await acme.get<EmailDetail>(`/api/emails/${email.id}`)).body.attempts).toBe(0);
  expect(await accepted(() => deliver(other))).toEqual({ own: 0, service: 1, sendGrid: 0 });
});

it('delivers a broadcast in calls of the own provider', async () => {
  await add({ type: 'sendgrid', credentials: { apiKey: 'SG.own' } });
  const broadcasts = new BroadcastClient(acme);
  const id = await broadcasts.create();
  await broadcasts.add(id, people(40));
  const counts = await accepted(async () => {
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
  });
  expect(counts).toEqual({ own: 0, service: 0, sendGrid: 40 });
  expect(sendGrid.messages.at(-1)!.call).toBeLessThan(sendGrid.messages.length);
});

it('a refusal by the own provider fails the email', async () => {
  await add({ type: 'sendgrid', credentials: { apiKey: 'SG.own' } });
  sendGrid.scripts.add('*', sendGridError(400, 'Bad content'), 1);
  await send(acme);
  const failed = async () => (await acme.get<{ emails: unknown[] }>('/api/emails?status=failed')).body.emails;
  await eventually(async () => (await failed()).length === 1);
});

it('slow own providers leave the slots of the service to others', async () => {
  await add();
  let reply = (): void => undefined;
  own.scripts.add('*', { phase: 'dot', after: new Promise<void>((resolve) => (reply = resolve)) });
  const { played } = own.scripts;
  const before = service.mailServer.messages.length;
  try {
    await Promise.all(Array.from({ length: 20 }, () => send(acme)));
    await eventually(() => own.scripts.played > played);
    await Promise.all(Array.from({ length: 10 }, () => send(other)));
    // No call of a slow provider has ended by then.
    await eventually(() => service.mailServer.messages.length === before + 10);
  } finally {
    reply();
  }
});
