import type { KeyView } from '../../src/organizations/api-keys.js';
import { KEY_SCOPES, type KeyScope } from '../../src/organizations/key-scopes.js';
import { TestService, type TestClient } from '../support/service.js';

type NewKey = KeyView & { key: string };

let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let owner: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
});
beforeEach(async () => {
  owner = await service.organization();
});
afterAll(async () => service?.stop());

const email = { to: 'ada@example.com', from: 'news@shop.example', subject: 'Hi', htmlContent: '<p>Hi</p>' };

async function keyWith(limits: object, by = owner): Promise<TestClient> {
  const { status, body } = await by.post<NewKey>('/api/keys', limits);
  expect(status).toBe(201);
  return service.client(owner.organizationId, body.key);
}

describe('Keys have `scopes` (any of `send`, `read`, `manage`; default all for keys of before)', () => {
  const requests: readonly { scope: KeyScope; ask: (client: TestClient) => Promise<{ status: number }> }[] = [
    { scope: 'send', ask: (client) => client.post('/api/send', { ...email, to: '' }) },
    { scope: 'send', ask: (client) => client.post('/api/emails', { ...email, to: '' }) },
    { scope: 'send', ask: (client) => client.post('/api/emails/unknown/retry', {}) },
    { scope: 'send', ask: (client) => client.post('/api/emails/unknown/cancel', {}) },
    { scope: 'send', ask: (client) => client.patch('/api/emails/unknown', {}) },
    { scope: 'read', ask: (client) => client.get('/api/contacts') },
    { scope: 'read', ask: (client) => client.get('/api/keys') },
    { scope: 'manage', ask: (client) => client.post('/api/webhooks', {}) },
    { scope: 'manage', ask: (client) => client.post('/api/keys', { name: '' }) },
    { scope: 'manage', ask: (client) => client.delete('/api/suppressions/unknown@example.com') },
  ];

  it.each(KEY_SCOPES)('%s alone allows its requests and no others', async (scope) => {
    const client = await keyWith({ scopes: [scope] });
    for (const request of requests) {
      const { status } = await request.ask(client);
      expect({ of: request.ask.toString(), refused: status === 403 }).toEqual({
        of: request.ask.toString(),
        refused: request.scope !== scope,
      });
    }
  });

  it('a request outside the scopes of its key is 403 naming the missing scope, before its body is read', async () => {
    const client = await keyWith({ scopes: ['read'] });
    expect(await client.post('/api/send', '{ not JSON' as unknown as object)).toMatchObject({
      status: 403,
      body: { error: 'This API key lacks the scope send, which this request needs' },
    });
  });

  it('keys from before scopes existed may do everything, and show it', async () => {
    const { database } = service;
    await database.query(
      "insert into api_keys (id, organization_id, secret_hash) values ('AAAAAAAAAAAA', $1, sha256('x'))",
      [owner.organizationId],
    );
    const { body } = await owner.get<{ keys: KeyView[] }>('/api/keys');
    expect(body.keys.find(({ id }) => id === 'AAAAAAAAAAAA')).toMatchObject({
      scopes: [...KEY_SCOPES],
      expiresAt: null,
      createdBy: null,
    });
  });
});

describe('`expiresAt`', () => {
  it('ends a key within 5 seconds, without a revocation', async () => {
    const expiresAt = new Date(clock.now() + 60_000).toISOString();
    const client = await keyWith({ expiresAt });
    expect((await client.get('/api/campaigns')).status).toBe(200);
    elapsedMs += 60_001;
    expect((await client.get('/api/campaigns')).status).toBe(401);
  });

  it('must be in the future', async () => {
    const expiresAt = new Date(clock.now() - 1).toISOString();
    expect(await owner.post('/api/keys', { expiresAt })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'expiresAt' }] },
    });
  });
});

describe('`allowedDomains` (sender domains)', () => {
  it('lets a key send from its domains and their subdomains only', async () => {
    const client = await keyWith({ allowedDomains: ['Shop.Example'] });
    const statusOf = async (from: string) =>
      (await client.post('/api/send', { ...email, from }, { prefer: 'respond-async' })).status;
    expect([await statusOf('a@shop.example'), await statusOf('Shop <a@news.shop.example>')]).toEqual([202, 202]);
    expect([await statusOf('a@notshop.example'), await statusOf('a@example')]).toEqual([403, 400]);
    expect(await client.post('/api/send', { ...email, from: 'a@other.example' })).toMatchObject({
      body: { error: 'This API key may not send from other.example' },
    });
  });
});

describe('`allowedAddresses` (CIDRs)', () => {
  it('lets a key be used from its networks only', async () => {
    const here = await keyWith({ allowedAddresses: ['127.0.0.0/8', '::1'] });
    const elsewhere = await keyWith({ allowedAddresses: ['192.0.2.7'] });
    expect((await here.get('/api/campaigns')).status).toBe(200);
    expect(await elsewhere.get('/api/campaigns')).toMatchObject({
      status: 403,
      body: { error: 'This API key may not be used from this network address' },
    });
    const { body } = await owner.get<{ keys: KeyView[] }>('/api/keys');
    expect(body.keys[0]!.allowedAddresses).toEqual(['192.0.2.7/32']);
  });

  it('takes nothing from the rate limit of the organization when the key is used from elsewhere', async () => {
    const slow = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '10' } });
    try {
      const mine = await slow.organization();
      const { body } = await mine.post<NewKey>('/api/keys', { allowedAddresses: ['192.0.2.7'] });
      const leaked = slow.client(mine.organizationId, body.key);
      for (let request = 0; request < 30; request++) expect((await leaked.get('/api/campaigns')).status).toBe(403);
      expect((await mine.get('/api/campaigns')).status).toBe(200);
    } finally {
      await slow.stop();
    }
  });
});

describe('A key cannot create a key with more rights', () => {
  const soon = () => new Date(clock.now() + 60_000).toISOString();
  const limits = () => ({
    scopes: ['send', 'manage'],
    expiresAt: soon(),
    allowedDomains: ['shop.example'],
    allowedAddresses: ['127.0.0.0/8', '::1/128'],
  });

  it('a key created without limits gets those of its creator', async () => {
    const own = limits();
    const maker = await keyWith(own);
    const { body } = await maker.post<NewKey>('/api/keys', {});
    expect(body).toMatchObject({ ...own, createdBy: `key:${maker.apiKey.split('_')[1]}` });
  });

  it.each<[string, object]>([
    ['scope read', { scopes: ['send', 'read'] }],
    ['expires', { expiresAt: '2999-01-01T00:00:00Z' }],
    ['allowedDomains', { allowedDomains: ['shop.example', 'example'.concat('.org')] }],
    ['allowedDomains', { allowedDomains: ['example.shop'] }],
    ['allowedAddresses', { allowedAddresses: ['127.0.0.0/7'] }],
    ['allowedAddresses', { allowedAddresses: ['::/0'] }],
  ])('403 for more rights: %s %j', async (named, more) => {
    const maker = await keyWith(limits());
    const { status, body } = await maker.post<{ error: string }>('/api/keys', more);
    expect({ status, error: body.error }).toEqual({ status: 403, error: expect.stringContaining(named) });
  });

  it('may create a key with fewer rights', async () => {
    const maker = await keyWith(limits());
    const less = { scopes: ['send'], allowedDomains: ['a.shop.example'], allowedAddresses: ['127.0.0.1'] };
    expect((await maker.post('/api/keys', less)).status).toBe(201);
  });
});

it.each<[string, object]>([
  ['scopes', { scopes: [] }],
  ['scopes', { scopes: ['everything'] }],
  ['scopes', { scopes: ['send', 'send'] }],
  ['scopes', { scopes: 'send' }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['expiresAt', { expiresAt: '2999-01-01T00:00:00' }],
  ['expiresAt', { expiresAt: '2999-02-30' }],
  ['allowedDomains', { allowedDomains: [] }],
  ['allowedDomains', { allowedDomains: ['shop.example/x'] }],
  ['allowedDomains', { allowedDomains: ['https://example.com'] }],
  ['allowedAddresses', { allowedAddresses: ['example.com'] }],
  ['allowedAddresses', { allowedAddresses: ['10.0.0.0/33'] }],
])('400 naming %s for %j', async (field, body) => {
  expect(await owner.post('/api/keys', body)).toMatchObject({ status: 400, body: { details: [{ field }] } });
});
