import { simpleParser } from 'mailparser';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { runCommand } from '../support/command-line.js';
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

const accept = async (fields: object, also: Record<string, string> = {}): Promise<string> => {
  const { headers } = await client.post('/api/send', { ...email, ...fields }, { prefer: 'respond-async', ...also });
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

describe('that were sent before', () => {
  const htmlContent = '<p>See <a href="https://acme.example/">our shop</a></p>';
  const large = `${htmlContent}<p>${'Wool. '.repeat(20_000)}</p>`;
  /** A service that has never known the key, as after a restart. */
  let restarted: TestService;
  let reader: TestClient;
  let sent: string;
  let doubtful: string;
  let tracked: Request[];

  interface Request {
    readonly body: { readonly htmlContent: string };
    readonly key: string;
    readonly first: TrackResponse;
  }

  beforeAll(async () => {
    worker ??= await TestService.start({ beside: api, environment: { ...environment, ROLES: 'worker' } });
    sent = await accept({ to: 'read@example.com', htmlContent }, { 'idempotency-key': 'sent' });
    expect((await settled(sent)).links).toHaveLength(1);
    api.mailServer.scripts.add('doubt@example.com', { phase: 'dot', fault: 'drop', accepts: true }, 1);
    doubtful = await accept({ to: 'doubt@example.com', htmlContent });
    await eventually(async () => (await listUnknownOutcomes(api.database, client.organizationId, 10))[0]);
    tracked = await Promise.all(
      [htmlContent, large].map(async (html, index) => {
        const [body, key] = [{ ...email, to: 'track@example.com', htmlContent: html }, `tracked-${index}`];
        const { body: first } = await client.post<TrackResponse>('/api/emails', body, { 'idempotency-key': key });
        expect(first.links).toHaveLength(1);
        return { body, key, first };
      }),
    );
    await api.database.query('delete from signing_keys');
    await api.database.query(`insert into signing_keys (id, secret) values (9, decode(repeat('cd', 32), 'hex'))`);
    restarted = await TestService.start({ beside: api, environment: { ...environment, ROLES: 'api' } });
    reader = restarted.client(client.organizationId, client.apiKey);
  });
  afterAll(() => restarted?.stop());

  it('can still be read, without the links that no longer work', async () => {
    const { status, body: detail } = await reader.get<EmailDetail>(`/api/emails/${sent}`);
    expect([status, detail.status, detail.links]).toEqual([200, 'sent', []]);
    const again = { ...email, to: 'read@example.com', htmlContent };
    const headers = { prefer: 'respond-async', 'idempotency-key': 'sent' };
    const { status: repeated, body } = await reader.post<SendResponse>('/api/send', again, headers);
    expect([repeated, body.to, body.links]).toEqual([202, ['read@example.com'], []]);
  });

  it('have a preview of their text', async () => {
    const ids = [sent, ...tracked.map(({ first }) => first.id)];
    const previews = await Promise.all(ids.map((id) => reader.get<string>(`/api/emails/${id}/preview?part=text`)));
    for (const { status, body } of previews) {
      expect(status).toBe(200);
      expect(body).toContain('our shop <https://acme.example/>');
    }
  });

  it('get their first response again, with the links as their sender wrote them', async () => {
    for (const { body, key, first } of tracked) {
      const repeated = await reader.post<TrackResponse>('/api/emails', body, { 'idempotency-key': key });
      expect(repeated.status).toBe(200);
      const { id, emailTrackingId, pixelUrl } = first;
      expect(repeated.body).toEqual({ id, emailTrackingId, pixelUrl, links: [], htmlContent: body.htmlContent });
    }
  });

  it('can be settled if their outcome is in doubt', async () => {
    const words = ['email', 'doubtful', 'settle', doubtful, '--as', 'sent'];
    const { code, output } = await runCommand({ DATABASE_URL: api.settings.DATABASE_URL }, ...words);
    expect([code, JSON.parse(output)]).toEqual([0, { settled: [doubtful], unchanged: [] }]);
    const { body: detail } = await reader.get<EmailDetail>(`/api/emails/${doubtful}`);
    expect([detail.status, detail.links]).toEqual(['sent', []]);
    const [stored] = await api.database.query('select urls from email_links where email_id = $1', [doubtful]);
    expect(stored).toEqual({ urls: ['https://acme.example/'] });
  });
});
