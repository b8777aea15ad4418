import { simpleParser } from 'mailparser';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

/* Emails that were accepted before the signing key of their tracking ID was deleted. */

const environment = { BOUNCE_DOMAIN: 'bounces.example.com' };
const email = { from: 'ada@acme.example', subject: 'The engine' };

let api: TestService;
let worker: TestService;
let client: TestClient;

beforeAll(async () => {
  api = await TestService.start({ environment: { ...environment, ROLES: 'api' } });
  client = await api.organization();
});
afterAll(async () => {
  await worker?.stop();
  await api?.stop();
});

const accept = async (fields: object): Promise<string> => {
  const { headers } = await client.post('/api/send', { ...email, ...fields }, { prefer: 'respond-async' });
  return headers.get('location')!.replace('/api/emails/', '');
};

const settled = (id: string): Promise<EmailDetail> =>
  eventually(async () => {
    const { body } = await client.get<EmailDetail>(`/api/emails/${id}`);
    return body.status !== 'queued' && body.status !== 'sending' && body;
  });

it('are delivered without a return path if nothing in them is signed, and otherwise fail at once, to be retried', async () => {
  const text = await accept({ to: 'text@example.com', textContent: 'Hello' });
  const html = await accept({ to: 'html@example.com', htmlContent: '<p><a href="https://acme.example/">Shop</a></p>' });
  const unsubscribable = await accept({ to: 'list@example.com', textContent: 'Hello', unsubscribe: true });
  const [key] = await api.database.query<{ id: number; secret: Buffer }>('select id, secret from signing_keys');
  await api.database.query(`insert into signing_keys (id, secret) values (2, decode(repeat('ab', 32), 'hex'))`);
  await api.database.query('delete from signing_keys where id = $1', [key!.id]);
  worker = await TestService.start({ beside: api, environment: { ...environment, ROLES: 'worker' } });

  expect(await settled(text)).toMatchObject({ status: 'sent', lastError: null });
  const [message] = api.mailServer.messages;
  const { from, text: body } = await simpleParser(message!.content);
  expect([message!.sender, body?.trim()]).toEqual([from?.value[0]!.address, 'Hello']);
  const failed = { status: 'failed', lastError: expect.stringMatching(/signing key .* was deleted/) as string };
  expect(await settled(html)).toMatchObject(failed);
  expect(await settled(unsubscribable)).toMatchObject(failed);

  // The worker learns of the restored key at once.
  await api.database.query('insert into signing_keys (id, secret) values ($1, $2)', [key!.id, key!.secret]);
  expect((await client.post(`/api/emails/${html}/retry`)).status).toBe(200);
  expect(await settled(html)).toMatchObject({ status: 'sent' });
});

it('that were sent before can still be read, without the links that no longer work', async () => {
  const fields = { ...email, to: 'read@example.com', htmlContent: '<p><a href="https://acme.example/">Shop</a></p>' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', fields, { prefer: 'respond-async' });
  const id = body.emailTrackingId;
  expect((await settled(id)).links).toHaveLength(1);
  await api.database.query('delete from signing_keys where id = 1');
  const restarted = await TestService.start({ beside: api, environment: { ...environment, ROLES: 'api' } });
  try {
    const reader = restarted.client(client.organizationId, client.apiKey);
    const { status, body: detail } = await reader.get<EmailDetail>(`/api/emails/${id}`);
    expect([status, detail.status, detail.links]).toEqual([200, 'sent', []]);
  } finally {
    await restarted.stop();
  }
});
