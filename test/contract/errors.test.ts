import { rawRequest } from '../support/raw-http.js';
import { apiRoutes } from '../support/routes.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

function raw(...lines: string[]): Promise<string> {
  const head = ['host: x', 'connection: close', `x-api-key: ${client.apiKey}`];
  return rawRequest(service.settings.PORT, [lines[0], ...head, ...lines.slice(1), '', ''].join('\r\n'));
}

describe('Error bodies are JSON objects with an error field holding a human-readable message', () => {
  it.each([
    ['an unknown path', 'GET', '/api/nothing', 404],
    ['an unknown method', 'PUT', '/api/campaigns', 404],
    ['a path that does not decode', 'GET', '/api/contacts/%zz', 400],
    ['a path with half a character', 'GET', '/api/contacts/%c3', 400],
    ['a parameter beyond every address', 'GET', `/api/contacts/${'x'.repeat(2_000)}`, 414],
    ['the root of the API', 'GET', '/api', 404],
  ])('%s', async (_what, method, path, status) => {
    const response = await client.request<{ error: string }>(path, { method });
    expect(response.body).toEqual({ error: expect.stringMatching(/^[A-Z][^{}/]+$/) });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it('also for an unknown path and a key in the header of other services', async () => {
    const headers = { authorization: `Bearer ${client.apiKey}` };
    expect(await client.request('/api/nothing', { headers })).toMatchObject({
      status: 404,
      body: { error: 'Not found: no route has this method and path' },
    });
  });

  it('404 for a wrong method says that it may be the method, unlike 404 for an unknown item', async () => {
    const { body } = await client.post<{ id: string }>('/api/campaigns', { name: 'Not to be deleted' });
    expect((await client.delete(`/api/campaigns/${body.id}`)).body).toEqual({
      error: 'Not found: no route has this method and path',
    });
  });

  it.each([
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'application/json',
    'text/csv',
    'application/x-ndjson',
    'message/rfc822',
  ])('none for a request without a body that needs none, although its client declares %s', async (type) => {
    const { body: campaign } = await client.post<{ id: string }>('/api/campaigns', { name: `Declared as ${type}` });
    const response = await client.post(`/api/campaigns/${campaign.id}/archive`, '', { 'content-type': type });
    expect(response).toMatchObject({ status: 200, body: { success: true } });
    const refused = await client.post('/api/campaigns', '', { 'content-type': type });
    expect(refused).toMatchObject({ status: 400, body: { error: 'The body must be a JSON object' } });
  });

  it.each([
    ['/api/suppressions', {}, 'address', 'address or addresses is required'],
    ['/api/campaigns', { name: '' }, 'name', 'name must have 1 to 200 characters'],
    ['/api/campaigns', { name: 5 }, 'name', 'name is required and must be a string'],
  ])('the detail of an invalid field of %s %j is a sentence', async (path, body, field, message) => {
    const response = await client.post(path, body);
    expect(response).toMatchObject({ status: 400, body: { error: message, details: [{ field, message }] } });
  });

  it.each([
    ['/api/send', 30],
    ['/api/emails', 10],
  ])('413 of %s above %i MB', async (path, megabytes) => {
    const response = await client.post(path, 'x'.repeat(megabytes * 1024 * 1024 + 1));
    const error = `The body is too large: at most ${megabytes} MB`;
    expect(response).toMatchObject({ status: 413, body: { error } });
  });

  it('431 for headers that are too large, 400 for a request that is not HTTP', async () => {
    expect(await raw('GET /api/campaigns HTTP/1.1', `x-large: ${'x'.repeat(70_000)}`)).toMatch(/^HTTP\/1\.1 431 /);
    const malformed = await raw('GET /api/campaigns HTTP/1.1', 'bad header');
    expect(malformed).toMatch(/^HTTP\/1\.1 400 /);
    expect(malformed).toMatch(/\r\nX-Request-Id: [^]*\{"error":"The request is malformed"\}$/);
  });
});

describe('a request that the server refuses before it is routed', () => {
  it.each([
    ['without Host', 400, 'The request is malformed', 'GET /api/campaigns HTTP/1.1\r\n\r\n'],
    [
      'with an unknown expectation',
      417,
      'The service does not support this Expect header',
      'GET /api/campaigns HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n',
    ],
  ])('has a body and an ID like every other: %s', async (_what, status, error, text) => {
    const response = await rawRequest(service.settings.PORT, text);
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(response).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/i);
    expect(response).toMatch(/\r\ncache-control: no-store\r\n/i);
    expect(response.slice(response.indexOf('\r\n\r\n') + 4)).toBe(JSON.stringify({ error }));
  });

  it('may omit Host in HTTP/1.0', async () => {
    const text = `GET /api/campaigns HTTP/1.0\r\nx-api-key: ${client.apiKey}\r\n\r\n`;
    expect(await rawRequest(service.settings.PORT, text)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('X-Request-Id', () => {
  it("is in every response: the caller's own ID if it is valid", async () => {
    const own = await client.get('/api/campaigns', { 'x-request-id': 'order-4711' });
    expect(own.headers.get('x-request-id')).toBe('order-4711');
    const strange = await client.get('/api/campaigns', { 'x-request-id': '<script>' });
    expect(strange.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const longer = await client.get('/api/campaigns', { 'x-request-id': `abc evil="1" ${'x'.repeat(300)}` });
    expect(longer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

/** For a response that does not end. */
async function openAndLeave(path: string): Promise<Response> {
  const response = await fetch(service.address + path, { headers: { 'x-api-key': client.apiKey } });
  await response.body!.cancel();
  return response;
}

describe('a response of the API', () => {
  it('is never cached, whatever its status', async () => {
    for (const { method, path } of apiRoutes()) {
      for (const key of [client.apiKey, '']) {
        const route = path.replace(/:\w+/g, 'x');
        const isEndless = path === '/api/live' && key !== '';
        const { headers } = isEndless
          ? await openAndLeave(route)
          : await service.client('', key).request(route, { method });
        expect([method, path, headers.get('cache-control'), headers.get('vary')]).toEqual([
          ...[method, path],
          ...['no-store', 'x-api-key, cookie'],
        ]);
      }
    }
    for (const path of [
      '/api/nothing',
      '/api/contacts/%zz',
      '/api',
      '/%61pi/campaigns',
      '/health/live',
      '/health/ready',
    ]) {
      expect((await client.get(path)).headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('an unexpected fault', () => {
  it('returns 500 with a neutral message and the request ID', async () => {
    await service.database.query('alter table campaigns rename to elsewhere');
    try {
      const { status, headers, body } = await client.get('/api/campaigns');
      expect(status).toBe(500);
      expect(body).toEqual({
        error: `Something went wrong on our side (request ${headers.get('x-request-id')})`,
      });
    } finally {
      await service.database.query('alter table elsewhere rename to campaigns');
    }
  });
});

describe('a JSON body', () => {
  it('may have unknown fields', async () => {
    const response = await client.post('/api/campaigns', {
      name: 'Extra',
      color: 'red',
      __proto__: 1,
      constructor: false,
    });
    expect(response.status).toBe(201);
  });

  it('must be UTF-8', async () => {
    const response = await raw(
      'POST /api/campaigns HTTP/1.1',
      'content-type: application/json',
      'content-length: 14',
      '',
      '{"name":"\xfc\xf6"}',
    );
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('{"error":"The body is not valid UTF-8"}');
  });
});
