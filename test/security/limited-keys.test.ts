import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { KEY_SCOPES, type KeyScope } from '../../src/organizations/key-scopes.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn } from '../support/people.js';
import { apiRoutes, nameOf, sessionRoutes, routeAccess, type Route } from '../support/routes.js';
import { TestService, type TestClient } from '../support/service.js';

const TIMEOUT_MS = 60_000;
const LATER = () => new Date(Date.now() + 86_400_000).toISOString();
const FORBIDDEN = { status: 403, body: { error: 'This API key may not send from corp.example' } };

let service: TestService;
let owner: TestClient;

beforeAll(async () => {
  service = await TestService.start();
  owner = await service.organization();
});
afterAll(() => service?.stop());

async function keyWith(limits: object, by = owner): Promise<TestClient> {
  const { status, body } = await by.post<{ key: string }>('/api/keys', limits);
  expect(status).toBe(201);
  return service.client(owner.organizationId, body.key);
}

/** The scope that a route requires, according to the contract. */
function scopeOf({ method, path }: Route): KeyScope {
  if (method === 'GET' || /^\/api\/templates\/(:id\/)?render$/.test(path)) return 'read';
  return /^\/api\/(send|emails|broadcasts)(\/|$)/.test(path) ? 'send' : 'manage';
}

describe('a key of one scope, at every route', () => {
  it.each(KEY_SCOPES)('%s is refused where another scope is needed, before anything happens', async (scope) => {
    const client = await keyWith({ scopes: [scope] });
    const passed: string[] = [];
    for (const route of apiRoutes().filter((one) => scopeOf(one) !== scope)) {
      const path = route.path.replace(/:\w+/g, '00000000-0000-7000-8000-000000000000');
      const { status, body } = await client.request<{ error?: string }>(path, { method: route.method });
      if (status !== 403 || !body.error?.includes(`lacks the scope ${scopeOf(route)}`)) passed.push(nameOf(route));
    }
    expect(passed).toEqual([]);
  });

  it('creates no key with more rights: not through keys, users, sessions or second factors', async () => {
    const client = await keyWith({ scopes: ['manage'] });
    for (const more of [{ scopes: ['read'] }, { scopes: [...KEY_SCOPES] }, { scopes: ['manage', 'send'] }])
      expect((await client.post('/api/keys', more)).status).toBe(403);
    const own = { allowedDomains: ['a.example'], allowedAddresses: ['127.0.0.0/8', '::1/128'], expiresAt: LATER() };
    const limited = await keyWith(own);
    for (const field of Object.keys(own)) {
      const { status, body } = await limited.post('/api/keys', { [field]: null });
      // Allowed values are those of the key itself, or none.
      expect([field, status, body[field] ?? null]).toEqual(
        status === 201 ? [field, 201, own[field as keyof typeof own]] : [field, 400, null],
      );
    }
    for (const { method, path } of sessionRoutes()) {
      const { status } = await client.request<object>(path.replace(/:\w+/g, 'x'), { method });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });
});

describe('a user who is not an owner, at every route', () => {
  const isForOwners = (route: Route): boolean => routeAccess().get(nameOf(route))!.endsWith('owners');
  const refused = {
    viewer: [...apiRoutes().filter((route) => scopeOf(route) !== 'read'), ...sessionRoutes().filter(isForOwners)],
    member: [...apiRoutes(), ...sessionRoutes()].filter(isForOwners),
  };

  it.each(['viewer', 'member'] as const)('a %s is refused on routes of other roles, with any body', async (role) => {
    expect(refused[role].length).toBeGreaterThan(3);
    const browser = await signedIn(service, await newUser(service, owner.organizationId, role));
    const passed: string[] = [];
    for (const route of refused[role]) {
      const path = route.path.replace(/:\w+/g, '00000000-0000-7000-8000-000000000000');
      for (const body of route.method === 'GET' ? [undefined] : ['null', '{}', '{ not JSON']) {
        const { status, body: response } = await browser.request<{ error?: string }>(route.method, path, body);
        const isRefused = status === 403 && /lacks the scope|Only owners/.test(response.error ?? '');
        if (!isRefused) passed.push(`${nameOf(route)} ${body} ${status}`);
      }
    }
    expect(passed).toEqual([]);
  });
});

describe('a key for one sender domain', () => {
  let limited: TestClient;
  const own = { from: 'ada@shop.example', to: 'reader@example.com', subject: 'Hi', htmlContent: '<p>Hi</p>' };
  const foreign = { ...own, from: 'CEO <ceo@corp.example>' };
  beforeAll(async () => {
    limited = await keyWith({ allowedDomains: ['shop.example'] });
  });

  /** Sends an email that the mail server refuses. */
  async function failed(fields: object): Promise<string> {
    const to = `gone${Math.random().toString(36).slice(2)}@example.com`;
    service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 No such user' });
    await owner.post('/api/send', { ...fields, to });
    const { body } = await owner.get<{ emails: { id: string }[] }>(`/api/emails?recipient=${encodeURIComponent(to)}`);
    const { id } = body.emails[0]!;
    await eventually(async () => (await read(id)).status === 'failed', TIMEOUT_MS);
    return id;
  }
  const read = async (id: string): Promise<EmailDetail> => (await owner.get<EmailDetail>(`/api/emails/${id}`)).body;

  async function scheduled(fields: object): Promise<string> {
    const { status, body } = await owner.post<{ emailTrackingId: string }>('/api/send', { ...fields, sendAt: LATER() });
    expect(status).toBe(202);
    return body.emailTrackingId;
  }

  it.each([
    'ceo@corp.example',
    '"ceo@shop.example" <ceo@corp.example>',
    'ceo@CORP.example',
    'ceo@shop.example.corp.example',
    'ceo@notshop.example',
    'ceo@xn--shop-8na.example',
  ])('sends nothing from %s: alone, in a batch or in a broadcast', async (from) => {
    expect((await limited.post('/api/send', { ...own, from })).status).toBe(403);
    expect((await limited.post('/api/broadcasts', { ...own, to: undefined, name: 'Sale', from })).status).toBe(403);
    const { body } = await limited.post<{ emails: object[] }>('/api/send/batch', { emails: [{ ...own, from }, own] });
    expect(body.emails).toEqual([
      { error: expect.stringContaining('may not send from') as string },
      expect.objectContaining({ status: expect.any(String) as string }),
    ]);
  });

  it('tracks no email of another sender', async () => {
    const { from, ...withoutSender } = own;
    expect(await limited.post('/api/emails', foreign)).toMatchObject(FORBIDDEN);
    for (const mine of [{ ...withoutSender, from }, withoutSender])
      expect((await limited.post('/api/emails', mine)).status).toBe(200);
  });

  it('retries no email of another sender', async () => {
    const [theirs, mine] = [await failed(foreign), await failed(own)];
    expect(await limited.post(`/api/emails/${theirs}/retry`, {})).toMatchObject(FORBIDDEN);
    expect((await read(theirs)).status).toBe('failed');
    expect((await limited.post(`/api/emails/${mine}/retry`, {})).status).toBe(200);
  });

  it('reschedules no email of another sender, which would send it now', async () => {
    const [theirs, mine] = [await scheduled(foreign), await scheduled(own)];
    const now = { sendAt: new Date(0).toISOString() };
    expect(await limited.patch(`/api/emails/${theirs}`, now)).toMatchObject(FORBIDDEN);
    expect((await read(theirs)).status).toBe('scheduled');
    expect((await limited.patch(`/api/emails/${mine}`, { sendAt: LATER() })).status).toBe(200);
  });

  it('finds out no sender from a reply address: an email of another sender stays as it is, whoever gets the replies', async () => {
    const replyTo = 'ada@shop.example';
    const theirs = [await failed({ ...foreign, replyTo }), await scheduled({ ...foreign, replyTo })] as const;
    const unknown = { status: 403, body: { error: expect.stringContaining('may not send from') as string } };
    expect(await limited.post(`/api/emails/${theirs[0]}/retry`, {})).toMatchObject(unknown);
    expect(await limited.patch(`/api/emails/${theirs[1]}`, { sendAt: new Date(0).toISOString() })).toMatchObject(
      unknown,
    );
    expect([(await read(theirs[0])).status, (await read(theirs[1])).status]).toEqual(['failed', 'scheduled']);
    // Nothing in this email of its own sender shows who that is, either.
    const elsewhere = await scheduled({ ...own, replyTo: 'help@shop.example' });
    expect(await limited.patch(`/api/emails/${elsewhere}`, { sendAt: LATER() })).toMatchObject(unknown);
    const mine = await scheduled({ ...own, replyTo: 'Ada <ADA@shop.example>' });
    expect((await limited.patch(`/api/emails/${mine}`, { sendAt: LATER() })).status).toBe(200);
  });

  it('may stop a broadcast of another sender, but not change, send or resume it', async () => {
    const broadcasts = new BroadcastClient(owner);
    const id = await broadcasts.create({ from: foreign.from, sendAt: LATER() });
    const path = `/api/broadcasts/${id}`;
    expect(await limited.post(`${path}/recipients`, { recipients: people(1) })).toMatchObject(FORBIDDEN);
    await broadcasts.add(id, people(2));
    expect(await limited.post(`${path}/send`)).toMatchObject(FORBIDDEN);
    expect((await broadcasts.read(id)).status).toBe('draft');
    await broadcasts.move(id, 'send');
    expect((await limited.post(`${path}/pause`)).status).toBe(200);
    expect(await limited.post(`${path}/resume`)).toMatchObject(FORBIDDEN);
    expect((await broadcasts.read(id)).status).toBe('paused');
    expect((await limited.post(`${path}/cancel`)).status).toBe(200);
  });

  it('gets no information through IDs that do not exist', async () => {
    expect((await limited.post('/api/emails/00000000-0000-7000-8000-000000000000/retry', {})).status).toBe(404);
    expect((await limited.post('/api/emails/no!id/retry', {})).status).toBe(404);
  });
});
