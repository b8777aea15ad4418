import type { KeyView } from '../../src/organizations/api-keys.js';
import { nextPage } from '../support/next-page.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

type NewKey = KeyView & { key: string };

/** The clock of both processes, which tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let secondProcess: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
  secondProcess = await TestService.start({ beside: service, environment: { ROLES: 'api' }, clock });
  client = await service.organization();
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

async function createKey(name?: string): Promise<NewKey> {
  const { status, body } = await client.post<NewKey>('/api/keys', { name });
  expect(status).toBe(201);
  return body;
}

async function works(key: string, at = service): Promise<number> {
  return (await at.client('', key).get('/api/campaigns')).status;
}

async function listed(by = client): Promise<KeyView[]> {
  return (await by.get<{ keys: KeyView[] }>('/api/keys')).body.keys;
}

describe('/api/keys', () => {
  it('creates keys whose secret is shown once and stored nowhere', async () => {
    const created = await createKey('Deploy');
    expect(created).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9-]{12}$/),
      name: 'Deploy',
      scopes: ['send', 'read', 'manage'],
      expiresAt: null,
      allowedDomains: null,
      allowedAddresses: null,
      createdBy: `key:${client.apiKey.split('_')[1]}`,
      key: `mb_${created.id}_${created.key.slice(-32)}`,
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(await works(created.key)).toBe(200);
    const { key, ...shown } = created;
    const [first] = await listed();
    expect(first).toEqual({ ...shown, lastUsedAt: first!.lastUsedAt });
    const stored = await service.database.query<{ row: string }>('select k::text as row from api_keys k');
    expect(stored.some(({ row }) => row.includes(created.id))).toBe(true);
    const secret = key.slice(-32);
    const asBytes = Buffer.from(secret).toString('hex');
    expect(stored.filter(({ row }) => row.includes(secret) || row.includes(asBytes))).toEqual([]);
  });

  it('lists newest first, page by page, without revoked keys', async () => {
    const own = await service.organization();
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) made.unshift((await own.post<NewKey>('/api/keys', { name })).body.id);
    expect((await own.delete(`/api/keys/${made[1]}`)).status).toBe(204);
    const seen: (string | null)[] = [];
    for (let path: string | undefined = '/api/keys?limit=1'; path;) {
      const page: ApiResponse<{ keys: KeyView[] }> = await own.get(path);
      seen.push(...page.body.keys.map(({ name }) => name));
      path = nextPage(page.headers);
    }
    expect(seen).toEqual(['c', 'a', null]);
  });

  it('lists each key of the same millisecond once, page by page', async () => {
    const own = await service.organization();
    for (const name of ['a', 'b', 'c']) await own.post<NewKey>('/api/keys', { name });
    const { database } = service;
    await database.query('update api_keys set created_at = now() where organization_id = $1', [own.organizationId]);
    const seen: string[] = [];
    for (let path: string | undefined = '/api/keys?limit=1'; path && seen.length < 5;) {
      const page: ApiResponse<{ keys: KeyView[] }> = await own.get(path);
      seen.push(...page.body.keys.map(({ id }) => id));
      path = nextPage(page.headers);
    }
    expect(seen).toEqual((await listed(own)).map(({ id }) => id));
    expect(seen).toHaveLength(4);
  });

  it.each([{ name: '' }, { name: 7 }, { name: 'x'.repeat(201) }, { name: '\0' }])('refuses %j', async (body) => {
    expect(await client.post('/api/keys', body)).toMatchObject({ status: 400, body: { details: [{ field: 'name' }] } });
  });

  it('allows an organization 50 live ones, even if it requests more at once', async () => {
    const own = await service.organization();
    // Of many at once, a busy machine refuses those that wait for their turn for five seconds.
    for (let key = 1; key < 45; key++) expect((await own.post('/api/keys', {})).status).toBe(201);
    const statuses = await Promise.all(
      Array.from({ length: 11 }, async () => (await own.post('/api/keys', {})).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 403)).toHaveLength(6);
    const keys = await listed(own);
    expect(keys).toHaveLength(50);
    const refused = await own.post('/api/keys', {});
    expect(refused.body).toEqual({ error: 'An organization can have 50 API keys: revoke one first' });
    await own.delete(`/api/keys/${keys[0]!.id}`);
    expect((await own.post('/api/keys', {})).status).toBe(201);
    const ended = "update api_keys set expires_at = now() - interval '1 s' where id = $1";
    await service.database.query(ended, [keys[1]!.id]);
    expect((await own.post('/api/keys', {})).status).toBe(201);
    expect((await own.post('/api/keys', {})).status).toBe(403);
  });

  it('404 for a key that does not exist', async () => {
    for (const id of ['AAAAAAAAAAAA', 'short', '%00']) {
      const response = await client.delete(`/api/keys/${id}`);
      expect(response).toMatchObject({ status: 404, body: { error: 'API key not found' } });
    }
  });
});

describe('a revoked key', () => {
  it('stops working everywhere within 5 seconds', async () => {
    const { id, key } = await createKey();
    expect([await works(key), await works(key, secondProcess)]).toEqual([200, 200]);
    const response = await client.delete(`/api/keys/${id}`);
    expect(response).toMatchObject({ status: 204, body: undefined });
    elapsedMs += 4_900;
    expect([await works(key), await works(key, secondProcess)]).toEqual([401, 401]);
  });

  it('is revoked once, also in the audit log', async () => {
    const { id } = await createKey();
    const responses = await Promise.all([1, 2, 3].map(() => client.delete(`/api/keys/${id}`)));
    responses.push(await client.delete(`/api/keys/${id}`));
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    const { body } = await client.get<{ entries: object[] }>(`/api/audit?action=key.revoked&target=key:${id}`);
    expect(body.entries).toHaveLength(1);
  });

  it('may revoke itself', async () => {
    const { id, key } = await createKey();
    expect((await service.client('', key).delete(`/api/keys/${id}`)).status).toBe(204);
    elapsedMs += 4_900;
    expect(await works(key)).toBe(401);
  });
});

describe('lastUsedAt', () => {
  it('is updated without a write per request', async () => {
    const versions = async () =>
      (await service.database.query<{ version: string }>('select xmin::text as version from api_keys order by id'))
        .map(({ version }) => version)
        .join();
    const { id, key } = await createKey();
    elapsedMs += 31_000;
    await works(key);
    const firstUse = await usedAt(id);
    const before = await versions();
    for (let request = 0; request < 20; request++) await works(key);
    expect(await versions()).toBe(before);
    elapsedMs += 31_000;
    await works(key);
    expect(await usedAt(id, firstUse)).not.toBe(firstUse);
  });

  async function usedAt(id: string, not: string | null = null): Promise<string> {
    for (let look = 0; look < 100; look++) {
      const lastUsedAt = (await listed()).find((key) => key.id === id)?.lastUsedAt ?? null;
      if (lastUsedAt !== not && lastUsedAt !== null) return lastUsedAt;
    }
    throw new Error('It was never noted');
  }
});

describe('Authentication: missing or invalid key yields 401 Unauthorized', () => {
  const withHeaders = (...lines: string[]) =>
    rawRequest(
      service.settings.PORT,
      [`GET /api/campaigns HTTP/1.1`, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n'),
    );

  it('returns the same error for everything but one valid key in the header', async () => {
    const { apiKey } = client;
    const [, id, secret] = apiKey.split('_');
    const wrong = [
      [],
      ['x-api-key:'],
      [`x-api-key: ${apiKey}x`],
      [`x-api-key: ${apiKey.slice(0, -1)}`],
      [`x-api-key: ${apiKey.toUpperCase()}`],
      [`x-api-key: mb_${id}_${'A'.repeat(32)}`],
      [`x-api-key: mb_AAAAAAAAAAAA_${secret}`],
      [`x-api-key: \xfc\xf6\xe4`],
      [`x-api-key: ${'k'.repeat(8_000)}`],
      [`x-api-key: ${apiKey}`, `x-api-key: ${apiKey}`],
      [`x-api-key: ${apiKey}`, `X-API-KEY: mb_AAAAAAAAAAAA_${secret}`],
    ];
    expect(await withHeaders(`x-api-key: ${apiKey}`)).toMatch(/^HTTP\/1\.1 200 /);
    for (const lines of wrong) {
      const response = await withHeaders(...lines);
      expect(response).toMatch(/^HTTP\/1\.1 401 /);
      expect(response).toContain('{"error":"Invalid or missing API key"}');
    }
    const asToken = await withHeaders(`authorization: Bearer ${apiKey}`);
    expect(asToken).toMatch(/^HTTP\/1\.1 401 /);
    expect(asToken).toContain('{"error":"Invalid or missing API key: it belongs in the header x-api-key"}');
    const inQuery = await rawRequest(
      service.settings.PORT,
      `GET /api/campaigns?x-api-key=${apiKey} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(inQuery).toMatch(/^HTTP\/1\.1 401 /);
  });
});
