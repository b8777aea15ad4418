import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { FastifyInstance } from 'fastify';
import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import { HttpMetrics } from '../../src/platform/http/http-metrics.js';
import { createHttpAdapter } from '../../src/platform/http/http-server.js';
import { ApiDocument } from '../support/openapi/api-document.js';
import { settledWithin } from '../support/eventually.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService, type TestClient } from '../support/service.js';
import { processorTime } from '../support/processor-time.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const [LIMIT, USUAL_LIMIT] = [10 * 1024 * 1024, 64 * 1024];
const EMAIL_ROUTES = ['POST /api/send', 'POST /api/emails'];
const ADDRESS_ROUTES = ['POST /api/suppressions', 'POST /api/suppressions/import'];
const BROADCAST_ROUTES = [
  ...['POST /api/broadcasts', 'PUT /api/broadcasts/{id}', 'POST /api/broadcasts/{id}/recipients'],
  'POST /api/send/batch',
];
const TEMPLATE_ROUTES = [
  ...['POST /api/templates', 'PUT /api/templates/{id}', 'POST /api/templates/{id}/render'],
  'POST /api/templates/render',
];
/** These have a larger limit. */
const LARGER = [...EMAIL_ROUTES, ...ADDRESS_ROUTES, ...BROADCAST_ROUTES, ...TEMPLATE_ROUTES];
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
    const response = await client.post('/api/emails', `${JSON.stringify(email).slice(0, -1)},${fields}}`);
    expect([200, 400]).toContain(response.status);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(response.body).not.toHaveProperty('isAdmin');
  });

  it('keeps such keys of metadata as data, or refuses them', async () => {
    for (const fields of hostile) {
      const body = `${JSON.stringify(email).slice(0, -1)},"metadata":{${fields}}}`;
      const response = await client.post<{ id: string }>('/api/emails', body);
      expect([200, 400]).toContain(response.status);
      if (response.status === 400) continue;
      const read = await client.request(`/api/emails/${response.body.id}`, {});
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

  it.each(['[]', '7', 'null', '"text"', 'true'])('%s is not a valid body', async (body) => {
    for (const target of targets) expect((await client.post(target, body)).status).toBe(400);
  });
});

describe('V17: a body costs no more than its limit', () => {
  it.each([
    ['/api/emails', LIMIT],
    ['/api/send', 3 * LIMIT],
  ])('of %s: one byte more than %i is 413, with and without a length', async (path, limit) => {
    const huge = 'x'.repeat(limit + 1);
    expect(await client.post(path, huge)).toMatchObject({ status: 413, body: { error: expect.any(String) } });
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\ncontent-type: application/json`;
    const chunked = `${head}\r\ntransfer-encoding: chunked\r\n\r\n${huge.length.toString(16)}\r\n${huge}\r\n0\r\n\r\n`;
    expect(await rawRequest(service.settings.PORT, chunked)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('of exactly 10 MB is accepted', async () => {
    const frame = JSON.stringify({ ...email, padding: '' });
    const body = frame.replace('"padding":""', `"padding":"${'x'.repeat(LIMIT - frame.length)}"`);
    expect(Buffer.byteLength(body)).toBe(LIMIT);
    expect((await client.post('/api/emails', body)).status).toBe(200);
  });

  it.each(['gzip', 'br', 'deflate', 'x-unknown'])('%s is 415, even if it is small', async (encoding) => {
    const response = await client.request('/api/emails', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: gzipSync(JSON.stringify(email)),
    });
    expect(response).toMatchObject({ status: 415, body: { error: expect.any(String) } });
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it.each([15_000, 100_000])('of %d nested arrays is 400 at once, in every field', async (depth) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const bodies = [deep, ...Object.keys(email).map((field) => `{"${field}":${deep}}`), `{"metadata":${deep}}`];
    for (const target of targets) {
      for (const body of bodies) {
        const spentMs = processorTime();
        const { status } = await client.post(target, body);
        const isTooLarge = body.length > USUAL_LIMIT && !['/api/send', '/api/emails'].includes(target);
        // Routes do not validate unknown fields.
        const isUnseen = target === '/api/keys' && body !== deep;
        expect([target, status]).toEqual([target, isTooLarge ? 413 : isUnseen ? 201 : 400]);
        expect(spentMs()).toBeLessThan(2_000);
      }
    }
  });

  it.each([1_001, 2_500, 4_100, 8_000])(
    'of an email with %d nested arrays in any field is 400, also with an Idempotency-Key, and spoils no batch',
    async (depth) => {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const documented = await ApiDocument.of(service);
      const { schema } = documented.operation('POST /api/send').requestBody!.content!['application/json']!;
      const names = Object.keys(documented.resolve(schema).properties as object);
      const fields = Object.fromEntries(names.map((name) => [name, deep]));
      Object.assign(fields, { metadata: `{"a":${deep}}`, variables: `{"a":${deep}}`, headers: `{"X-A":${deep}}` });
      fields.attachments = `[{"filename":"a","content":${deep}}]`;
      const valid = { from: 'a@acme.example', ...email };
      for (const [field, value] of Object.entries(fields)) {
        const message = `${JSON.stringify({ ...valid, [field]: undefined }).slice(0, -1)},"${field}":${value}}`;
        for (const headers of [{}, { 'idempotency-key': `${field} ${depth}` }] as Record<string, string>[]) {
          expect([field, (await client.post('/api/send', message, headers)).status]).toEqual([field, 400]);
          const batch = `{"emails":[${JSON.stringify(valid)},${message},${deep},${JSON.stringify(valid)}]}`;
          const { status, body } = await client.post<BatchResponse>('/api/send/batch', batch, headers);
          const results = body.emails?.map((result) => ('error' in result ? 'refused' : 'accepted'));
          expect([field, status, results]).toEqual([field, 202, ['accepted', 'refused', 'refused', 'accepted']]);
        }
      }
    },
  );

  it('of 64 KB and one byte is 413 on routes without emails or lists of addresses, before it has arrived', async () => {
    const documented = await ApiDocument.of(service);
    const others = documented.operations.filter(({ method, name }) => method !== 'GET' && !LARGER.includes(name));
    for (const { method, path } of others) {
      const response = await rawRequest(
        service.settings.PORT,
        [
          `${method} ${path.replace(/\{\w+\}/g, 'x')} HTTP/1.1`,
          ...['host: x', 'connection: close', `x-api-key: ${client.apiKey}`, 'content-type: application/json'],
          ...[`content-length: ${USUAL_LIMIT + 1}`, '', '{'],
        ].join('\r\n'),
      );
      expect([method, path, response]).toEqual([method, path, expect.stringMatching(/^HTTP\/1\.1 413 /)]);
      expect(response).toContain('{"error":"The body is too large: at most 64 KB"}');
    }
    const frame = JSON.stringify({ name: 'Largest', padding: '' });
    const body = frame.replace('"padding":""', `"padding":"${'x'.repeat(USUAL_LIMIT - frame.length)}"`);
    expect((await client.post('/api/campaigns', body)).status).toBe(201);
  });

  it('of more values than any email has is 400 before it is parsed', async () => {
    for (const value of ['{}', '[]', '1', '""', '{"a":"\\""}']) {
      const many = `{"a":[${Array(20_001).fill(value).join()}]}`;
      expect(await client.post('/api/emails', many)).toMatchObject({
        status: 400,
        body: { error: 'The body has too many values: at most 20000' },
      });
    }
    const commas = { ...email, htmlContent: '<p>{[,\\",</p>'.repeat(20_000), metadata: { list: Array(4_000).fill(1) } };
    expect((await client.post('/api/emails', commas)).status).toBe(200);
  });

  it('that arrives slowly is aborted within 30 seconds', async () => {
    const adapter = createHttpAdapter({
      settings: { KEEP_ALIVE_TIMEOUT_MS: 75_000, MAX_CONNECTIONS: 10 },
      logger: pino({ level: 'silent' }),
      metrics: new HttpMetrics(new Registry()),
    });
    const server = adapter.getHttpServer() as Server;
    expect(server.requestTimeout + 5_000).toBeLessThanOrEqual(30_000);
    expect(server.headersTimeout).toBeLessThanOrEqual(server.requestTimeout);
    const fastify = adapter.getInstance<FastifyInstance>();
    fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    fastify.post('/x', async () => 'read');
    // Shortens the timeout of the same server. The interval of its checks, at most 5 seconds, does not change.
    server.requestTimeout = 100;
    server.headersTimeout = 100;
    await adapter.listen(0, '127.0.0.1');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      let response = '';
      socket.on('data', (data) => (response += String(data)));
      socket.write('POST /x HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
      // The server checks every 5 seconds, and with the default of Node every 30.
      await settledWithin(25_000, once(socket, 'close'));
      expect(response).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      socket.destroy();
      await adapter.close();
    }
  });
});
