import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { report } from '../support/reporting-providers.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey, sendGridEvent } from '../support/sendgrid-calls.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { addOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

const key = new EventWebhookKey();
let sendGrid: SendGridStub;
let own: SmtpStub;
let service: TestService;
let client: TestClient;
/** The addresses of this test: mail of an earlier one may still be on its way. */
let readers: Set<string>;

beforeAll(async () => {
  [sendGrid, own] = await Promise.all([SendGridStub.listen(), SmtpStub.listen()]);
  service = await TestService.start({
    environment: { SENDGRID_API_URL: sendGrid.url, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', ...AWAIT_RESULT },
  });
});
beforeEach(async () => {
  for (const stub of [own, service.mailServer]) stub.scripts.clear();
  readers = new Set();
  client = await service.organization();
  await service.database.query(`delete from sending_domains where domain = 'acme.example'`);
  await verifyWithoutDns(service, client.organizationId, 'acme.example');
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([sendGrid?.close(), own?.close()]);
});

let sequence = 0;
function reader(): string {
  const address = `reader${(sequence += 1)}@example.com`;
  readers.add(address);
  return address;
}

/** Sends an email, and returns it as it is then. */
async function send(more: object = {}): Promise<EmailDetail> {
  const message = { from: 'ada@acme.example', to: reader(), subject: 'S', htmlContent: '<p>x</p>', ...more };
  await client.post<SendResponse>('/api/send', message);
  const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails?limit=1');
  return read(body.emails[0]!.id);
}

const read = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

async function useOwn(type: 'smtp' | 'sendgrid'): Promise<string> {
  const credentials = type === 'smtp' ? { url: own.url } : { apiKey: 'SG.own' };
  const provider = { type, credentials, ...(type === 'sendgrid' && { eventKey: key.publicKey }) };
  const id = await addOwnProvider(service, client.organizationId, provider);
  const stub = type === 'smtp' ? own : sendGrid;
  const before = stub.messages.length;
  await eventually(async () => {
    await send();
    return stub.messages.length > before;
  });
  return id;
}

const deleteOwn = () => service.database.query('delete from organization_providers');

const refuse = (stub: SmtpStub, address: string): void =>
  stub.scripts.add(address, { phase: 'rcpt', reply: '550 5.1.1 No such user' });

interface Rates {
  readonly [column: string]: number;
}

/** Expects these rates of mail through the service, after a last email through it. */
async function expectRates({ refused = 0, bounced = 0 } = {}): Promise<void> {
  await deleteOwn();
  const before = sentByService();
  await send();
  expect(sentByService()).toBe(before + 1);
  const expected = { sent: before + 1 + refused, bounced, complained: 0 };
  const rows = await eventually(async () => {
    const [rates] = await service.database.query<Rates>(
      'select sent, bounced, complained from sending_rates where organization_id = $1',
      [client.organizationId],
    );
    return rates !== undefined && rates.sent! >= expected.sent && rates;
  });
  expect(rows).toEqual(expected);
}

/** Emails to one recipient each that the service has sent in this test. */
const sentByService = (): number =>
  service.mailServer.messages.filter(({ recipients }) => recipients.some((address) => readers.has(address))).length;

it('leaves out mail that own providers took or refused', async () => {
  await useOwn('smtp');
  refuse(own, 'gone@example.com');
  await send();
  expect(await send({ to: 'gone@example.com' })).toMatchObject({ status: 'failed' });
  expect(await send({ to: [reader(), 'gone@example.com'] })).toMatchObject({ status: 'sent' });
  await expectRates();
});

it('leaves out what is reported about such mail, also after its provider is deleted', async () => {
  const id = await useOwn('sendgrid');
  const email = await send();
  const about = { mailbeacon_email_id: email.id, email: email.to[0] };
  const events = [
    sendGridEvent('bounce', { ...about, type: 'bounce', status: '5.1.1' }),
    sendGridEvent('spamreport', about),
  ];
  const body = JSON.stringify(events);
  expect((await report(service, id, { body, headers: key.sign(body) })).status).toBe(200);
  await eventually(async () => (await read(email.id)).recipients[0]?.state === 'complained');
  await expectRates();
});

it('leaves out results of an email that an own provider is still to send to others', async () => {
  await useOwn('smtp');
  const deferred = reader();
  own.scripts.add(deferred, { phase: 'rcpt', reply: '451 4.2.1 Later' });
  refuse(own, 'gone@example.com');
  expect(await send({ to: [deferred, 'gone@example.com'] })).toMatchObject({ status: 'queued' });
  await expectRates();
});

it('counts an email that an own provider refused, once the service sends it', async () => {
  await useOwn('smtp');
  own.scripts.add('moved@example.com', { phase: 'rcpt', reply: '554 5.7.1 Not here' });
  const { id } = await send({ to: 'moved@example.com' });
  await deleteOwn();
  refuse(service.mailServer, 'moved@example.com');
  await client.post(`/api/emails/${id}/retry`);
  await eventually(async () => (await read(id)).recipients[0]?.state === 'bounced');
  await expectRates({ refused: 1, bounced: 1 });
});

it('counts a bounce at the service once, although an own provider had refused the address before', async () => {
  await useOwn('smtp');
  for (const stub of [own, service.mailServer]) refuse(stub, 'lost@example.com');
  const { id } = await send({ to: 'lost@example.com' });
  await deleteOwn();
  for (let retry = 0; retry < 2; retry += 1) {
    await service.database.query('delete from suppressions where organization_id = $1', [client.organizationId]);
    expect((await client.post(`/api/emails/${id}/retry`)).status).toBeLessThan(300);
    await eventually(async () => (await read(id)).status === 'failed');
  }
  await expectRates({ refused: 1, bounced: 1 });
});

it('an email that the service has sent to some of its recipients stays with the service', async () => {
  const deferred = reader();
  service.mailServer.scripts.add(deferred, { phase: 'rcpt', reply: '451 4.2.1 Later' });
  const { id, status } = await send({ to: [reader(), deferred] });
  expect(status).toBe('queued');
  await useOwn('smtp');
  service.mailServer.scripts.clear();
  await service.database.query(
    `update pending_emails set due_at = date_trunc('milliseconds', now()) where email_id = $1`,
    [id],
  );
  await eventually(async () => (await read(id)).status === 'sent');
  const gotDeferred = [own, service.mailServer].map(
    ({ messages }) => messages.filter(({ recipients }) => recipients.includes(deferred)).length,
  );
  expect(gotDeferred).toEqual([0, 1]);
});
