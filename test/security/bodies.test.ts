import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { HttpMetrics } from '../../src/http/http-metrics.js';
import { createHttpAdapter } from '../../src/http/http-server.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const LIMIT = 10 * 1024 * 1024;
const email = { to: 'a@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const targets = ['/api/send', '/api/emails', '/api/campaigns', '/api/keys'];

describe('V16: no key of a body reaches a prototype', () => {
  const hostile = [
    '"__proto__":{"isAdmin":true}',
    '"constructor":{"prototype":{"isAdmin":true}}',
    '"constructor":false',
    '"hasOwnProperty":1,"toString":null',
    '"prototype":{"isAdmin":true}',
  ];

  it.each(hostile)('{%s}', async (fields) => {
    for (const target of targets.filter((path) => path !== '/api/keys')) {
      expect([target, (await client.post(target, `{${fields}}`)).status]).toEqual([target, 400]);
    }
    const answer = await client.post('/api/emails', `${JSON.stringify(email).slice(0, -1)},${fields}}`);
    expect([200, 400]).toContain(answer.status);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(answer.body).not.toHaveProperty('isAdmin');
  });

  it('keeps such keys of metadata as data, or refuses them', async () => {
    for (const fields of hostile) {
      const body = `${JSON.stringify(email).slice(0, -1)},"metadata":{${fields}}}`;
      const answer = await client.post<{ id: string }>('/api/emails', body);
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 400) continue;
      const read = await client.request(`/api/emails/${answer.body.id}`, {});
      expect(JSON.stringify(read.body)).toContain(`"metadata":{`);
    }
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  it('in query strings and forms', async () => {
    for (const query of ['__proto__[isAdmin]=1', 'constructor=1', 'search[__proto__]=x', 'status[__proto__]=x']) {
      expect([200, 400]).toContain((await client.get(`/api/emails?${query}`)).status);
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await client.post('/api/send', 'to[__proto__]=x', form)).status).toBe(415);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  it.each(['[]', '7', 'null', '"text"', 'true'])('%s is no body', async (body) => {
    for (const target of targets) expect((await client.post(target, body)).status).toBe(400);
  });
});

describe('V17: a body costs no more than its limit', () => {
  it('of 10 MB and one byte is 413, with and without a length', async () => {
    const huge = 'x'.repeat(LIMIT + 1);
    expect(await client.post('/api/send', huge)).toMatchObject({ status: 413, body: { error: expect.any(String) } });
    const head = `POST /api/send HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\ncontent-type: application/json`;
    const chunked = `${head}\r\ntransfer-encoding: chunked\r\n\r\n${huge.length.toString(16)}\r\n${huge}\r\n0\r\n\r\n`;
    expect(await rawRequest(service.settings.PORT, chunked)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('of exactly 10 MB is read', async () => {
    const frame = JSON.stringify({ ...email, padding: '' });
    const body = frame.replace('"padding":""', `"padding":"${'x'.repeat(LIMIT - frame.length)}"`);
    expect(Buffer.byteLength(body)).toBe(LIMIT);
    expect((await client.post('/api/emails', body)).status).toBe(200);
  });

  it.each(['gzip', 'br', 'deflate', 'x-unknown'])('%s is 415, however small', async (encoding) => {
    const answer = await client.request('/api/emails', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: gzipSync(JSON.stringify(email)),
    });
    expect(answer).toMatchObject({ status: 415, body: { error: expect.any(String) } });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('of 100,000 nested arrays is 400 at once, in every place', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const bodies = [deep, ...Object.keys(email).map((field) => `{"${field}":${deep}}`), `{"metadata":${deep}}`];
    for (const target of targets) {
      for (const body of bodies) {
        const startedAt = performance.now();
        const { status } = await client.post(target, body);
        // What a route does not know it does not look at.
        expect([target, status]).toEqual([target, target === '/api/keys' && body !== deep ? 201 : 400]);
        expect(performance.now() - startedAt).toBeLessThan(2_000);
      }
    }
  });

  it('that drips in is given up within 30 seconds', async () => {
    const adapter = createHttpAdapter(undefined, pino({ level: 'silent' }), new HttpMetrics(new Registry()));
    const server = adapter.getHttpServer() as Server;
    expect(server.requestTimeout + 5_000).toBeLessThanOrEqual(30_000);
    expect(server.headersTimeout).toBeLessThanOrEqual(server.requestTimeout);
    // The same server with less patience: how often it looks, at most every 5 seconds, stays as it is.
    server.requestTimeout = 100;
    server.headersTimeout = 100;
    await adapter.listen(0, '127.0.0.1');
    try {
      const { port } = server.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('data', (data) => (answer += String(data)));
      socket.write('POST /x HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
      const startedAt = performance.now();
      await once(socket, 'close');
      expect(performance.now() - startedAt).toBeLessThan(7_000);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      await adapter.close();
    }
  });
});
