import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

/** The clock of the API process, which the tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,smtp', SUBMISSION_PORT: '0' }, clock });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S' };
const json = JSON.stringify({ ...message, htmlContent: '<p>x</p>', html: undefined });
const suspend = () => suspendOrganization(service.database, client.organizationId, 'It sends spam');

/** The longest that a process caches a key, and less than a key may work after its end. */
const passKnownKeys = (): void => void (elapsedMs += 4_900);

async function storedEmails(): Promise<number> {
  const rows = await service.database.query('select id from emails where organization_id = $1', [
    client.organizationId,
  ]);
  return rows.length;
}

/** Starts a request whose key has been checked, and whose body is still to come. */
async function begin(path: string, headers: Record<string, string>): Promise<ClientRequest> {
  const { hostname, port } = new URL(service.address);
  const all = { 'content-type': 'application/json', expect: '100-continue', ...headers };
  const sending = httpRequest({ hostname, port, path, method: 'POST', headers: all, agent: false });
  sending.flushHeaders();
  await once(sending, 'continue');
  return sending;
}

async function finish(sending: ClientRequest, body: string): Promise<{ status: number; body: string }> {
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, body: await text(response) };
}

async function newKey(limits: object = {}): Promise<{ id: string; key: string }> {
  return (await client.post<{ id: string; key: string }>('/api/keys', limits)).body;
}

describe('a body that arrives after its caller has lost the right to send', () => {
  const batch = JSON.stringify({ emails: [JSON.parse(json)] });
  const withKey = (key: string) => ({ 'x-api-key': key });
  const asBearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const resend = JSON.stringify({ ...message, html: '<p>x</p>' });

  it.each([
    ['/api/send', withKey, json],
    ['/api/send/batch', withKey, batch],
    ['/emails', asBearer, resend],
  ])('is refused with a revoked key: %s', async (path, headers, body) => {
    const { id, key } = await newKey();
    const sending = await begin(path, headers(key));
    expect((await client.delete(`/api/keys/${id}`)).status).toBe(204);
    passKnownKeys();
    expect(await finish(sending, body)).toMatchObject({
      status: 401,
      body: expect.stringContaining('Invalid or missing API key') as unknown,
    });
    expect(await storedEmails()).toBe(0);
  });

  it('is refused with a key that has expired', async () => {
    const { key } = await newKey({ expiresAt: new Date(clock.now() + 600_000).toISOString() });
    const sending = await begin('/api/send', withKey(key));
    elapsedMs += 600_001;
    expect((await finish(sending, json)).status).toBe(401);
  });

  it('is refused for a suspended organization, with the reason', async () => {
    const sending = await begin('/api/send', withKey(client.apiKey));
    await suspend();
    passKnownKeys();
    const error = 'This organization is suspended: It sends spam';
    expect(await finish(sending, json)).toEqual({ status: 403, body: JSON.stringify({ error }) });
    expect(await storedEmails()).toBe(0);
  });

  it('is refused for a user whose role was lowered', async () => {
    const { organizationId } = client;
    const member = await newUser(service, organizationId, 'member');
    const browser = await signedIn(service, member);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sending = await begin('/api/send', { cookie, 'x-requested-with': 'mailbeacon' });
    const owner = await signedIn(service, await newUser(service, organizationId, 'owner'));
    expect((await owner.request('PATCH', `/api/users/${member.id}`, { role: 'viewer' })).status).toBe(200);
    passKnownKeys();
    expect(await finish(sending, json)).toMatchObject({
      status: 403,
      body: expect.stringContaining('lacks the scope send') as unknown,
    });
    expect(await storedEmails()).toBe(0);
  });

  it('is refused for a user who was removed from the organization, and the error names no header', async () => {
    const member = await newUser(service, client.organizationId, 'member');
    const { organizationId: other } = await service.organization();
    await service.database.query(
      "insert into memberships (user_id, organization_id, role, created_at) values ($1, $2, 'member', now() + interval '1 hour')",
      [member.id, other],
    );
    const browser = await signedIn(service, member);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sending = await begin('/api/send', { cookie, 'x-requested-with': 'mailbeacon' });
    const owner = await signedIn(service, await newUser(service, client.organizationId, 'owner'));
    expect((await owner.request('DELETE', `/api/users/${member.id}`)).status).toBe(204);
    passKnownKeys();
    const error = 'You are no longer in this organization';
    expect(await finish(sending, json)).toEqual({ status: 403, body: JSON.stringify({ error }) });
    expect(await storedEmails()).toBe(0);
  });

  it('is accepted with a key that is still valid', async () => {
    const sending = await begin('/api/send', { ...withKey(client.apiKey), prefer: 'respond-async' });
    passKnownKeys();
    expect((await finish(sending, json)).status).toBe(202);
  });
});

describe('a message over SMTP whose end arrives after', () => {
  /** Sends a message with a key, and does something before its end. */
  async function sendWhile(key: string, work: () => Promise<unknown>) {
    async function* parts() {
      yield 'From: ada@acme.example\r\nSubject: S\r\n\r\n';
      await work();
      passKnownKeys();
      yield 'Text\r\n';
    }
    const envelope = { from: message.from, to: message.to };
    return new SubmissionClient(service, { apiKey: key }).send({ envelope, raw: Readable.from(parts()) });
  }

  it('its key was revoked is refused', async () => {
    const { id, key } = await newKey();
    const reply = await sendWhile(key, () => client.delete(`/api/keys/${id}`));
    expect(reply).toMatchObject({ code: 535, text: expect.stringContaining(' 5.7.8 ') as unknown });
    expect(await storedEmails()).toBe(0);
  });

  it('its organization was suspended is refused, with the reason', async () => {
    const reply = await sendWhile(client.apiKey, suspend);
    expect(reply).toMatchObject({ code: 550, text: expect.stringContaining(' 5.7.1 ') as unknown });
    expect(reply.text).toContain('It sends spam');
    expect(await storedEmails()).toBe(0);
  });

  it('some seconds, with a key that is still valid, is accepted', async () => {
    expect(await sendWhile(client.apiKey, () => Promise.resolve())).toMatchObject({ code: 250 });
  });
});
