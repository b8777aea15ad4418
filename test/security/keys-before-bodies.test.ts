import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { ApiDocument } from '../support/openapi/api-document.js';
import { eventually } from '../support/eventually.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService, type TestClient } from '../support/service.js';

const warnings: string[] = [];
let service: TestService;
let tracking: TestService;
let client: TestClient;
/** Method and path of every route that may have a body. */
let routes: (readonly [method: string, path: string])[];

beforeAll(async () => {
  const logger = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
  service = await TestService.start({ environment: { ROLES: 'api', REQUEST_BODIES_MB: '10' }, logger });
  // The warnings at start are about the settings of tests.
  warnings.length = 0;
  tracking = await TestService.start({ beside: service, environment: { ROLES: 'tracking' } });
  client = await service.organization();
  const { operations } = await ApiDocument.of(service);
  routes = operations
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => [method, path.replace(/\{\w+\}/g, 'x')] as const);
});
afterAll(async () => {
  await tracking?.stop();
  await service?.stop();
});

const UNAUTHORIZED = { status: 401, body: { error: 'Invalid or missing API key' } };

/** The head of a request whose body follows. */
function head(method: string, path: string, ...headers: string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...headers, '', ''].join('\r\n');
}

class Conversation {
  received = '';
  private constructor(readonly socket: Socket) {
    socket.on('data', (data: Buffer) => (this.received += data.toString('latin1'))).on('error', () => {});
  }

  static async open(port = service.settings.PORT): Promise<Conversation> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Conversation(socket);
  }

  async sends(text: string | Buffer, expected: RegExp): Promise<void> {
    this.socket.write(text);
    await eventually(() => expected.test(this.received) || (this.socket.destroyed && this.received !== ''));
    expect(this.received).toMatch(expected);
  }
}

describe('a request without a valid key', () => {
  it('is 401 with any body', async () => {
    for (const key of ['', `mb_AAAAAAAAAAAA_${'A'.repeat(32)}`]) {
      const unauthorized = service.client('', key);
      for (const [method, path] of routes) {
        const bodies: RequestInit[] = [
          { body: '{"name":' },
          { body: '\xff\xfe' },
          { body: '['.repeat(50_000) },
          { body: 'a=b', headers: { 'content-type': 'text/plain' } },
          { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } },
        ];
        for (const { body, headers } of bodies) {
          const response = await unauthorized.request(path, {
            ...{ method, body: body as string },
            headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
          });
          expect([method, path, response]).toEqual([method, path, expect.objectContaining(UNAUTHORIZED)]);
        }
      }
    }
  });

  it('is 401 even if its body is larger than any limit', async () => {
    expect(await service.client('', '').post('/api/send', 'x'.repeat(11 * 1024 * 1024))).toMatchObject(UNAUTHORIZED);
  });

  it('gets its response before its body has arrived', async () => {
    for (const [method, path] of routes) {
      const conversation = await Conversation.open();
      await conversation.sends(head(method, path, 'content-length: 9000000') + '{', /^HTTP\/1\.1 401 [^]*API key"}$/);
      conversation.socket.destroy();
    }
  });

  it('is refused before its body if it expects 100 Continue', async () => {
    const conversation = await Conversation.open();
    const asking = ['content-length: 100', 'expect: 100-continue'];
    await conversation.sends(head('POST', '/api/send', ...asking, 'x-api-key: wrong'), /^HTTP\/1\.1 401 /);
    expect(conversation.received).not.toContain('100 Continue');
    conversation.socket.destroy();
  });
});

describe('a client that expects 100 Continue', () => {
  const asking = () => [`x-api-key: ${client.apiKey}`, 'expect: 100-continue'];

  it('gets 100 Continue when its key is valid', async () => {
    const conversation = await Conversation.open();
    const body = JSON.stringify({ name: 'Asked' });
    await conversation.sends(
      head('POST', '/api/campaigns', ...asking(), `content-length: ${body.length}`),
      /100 Continue/,
    );
    await conversation.sends(body, /HTTP\/1\.1 201 /);
    conversation.socket.destroy();
  });

  it('gets 413 without sending a body that is too large', async () => {
    const conversation = await Conversation.open();
    await conversation.sends(head('POST', '/api/campaigns', ...asking(), 'content-length: 70000'), /^HTTP\/1\.1 413 /);
    expect(conversation.received).not.toContain('100 Continue');
    conversation.socket.destroy();
  });

  it('is refused when it expects anything else', async () => {
    const response = await rawRequest(service.settings.PORT, head('POST', '/api/send', 'expect: coffee'));
    expect(response).toMatch(/^HTTP\/1\.1 417 [^]*\{"error":"[A-Z][^"]+"\}$/);
  });
});

describe('an unknown route', () => {
  it.each([
    ['the API', () => service.settings.PORT],
    ['a process without the role api', () => tracking.settings.PORT],
  ])('does not read the body: %s', async (_name, port) => {
    for (const [method, path] of [
      ['POST', '/nowhere'],
      ['PUT', '/api/send'],
      ['POST', '/api/none'],
      ['DELETE', '/health/live'],
    ] as const) {
      const conversation = await Conversation.open(port());
      const incomplete = head(method, path, 'content-length: 9000000') + '{"a":';
      await conversation.sends(incomplete, /^HTTP\/1\.1 404 [^]*\{"error":"Not found: [\w ]+"\}$/);
      conversation.socket.destroy();
    }
  });

  it('does not read the body of an API route where another role runs', async () => {
    for (const [method, path] of routes) {
      const response = await fetch(`http://127.0.0.1:${tracking.settings.PORT}${path}`, { method, body: '{"a":' });
      expect([path, response.status]).toEqual([path, 404]);
    }
  });
});

describe('bodies in progress', () => {
  const MEGABYTE = 1024 * 1024;
  const unfinished = async (apiKey: string, megabytes: number): Promise<Conversation> => {
    const conversation = await Conversation.open();
    conversation.socket.write(
      head('POST', '/api/send', `x-api-key: ${apiKey}`, `content-length: ${30 * MEGABYTE}`) + '{"a":"',
    );
    conversation.socket.write('x'.repeat(megabytes * MEGABYTE));
    return conversation;
  };
  const held = async (): Promise<number> => {
    const text = await service.metrics.getSingleMetricAsString('mailbeacon_http_body_bytes');
    return Number(/kind="held"\} (\d+)/.exec(text)![1]);
  };

  it('are bounded: 503 beyond the limit of the process, and every byte is released afterwards', async () => {
    const others = [await service.organization(), await service.organization()];
    const first = await unfinished(others[0]!.apiKey, 28);
    await eventually(async () => (await held()) > 28 * MEGABYTE);
    const email = { to: 'a@example.com', subject: 'S', htmlContent: 'x'.repeat(5 * MEGABYTE) };
    const refused = await others[1]!.post('/api/emails', email);
    expect(refused).toMatchObject({ status: 503, body: { error: expect.stringMatching(/temporarily unavailable/) } });
    expect(refused.headers.get('retry-after')).toBe('1');
    // A small body still fits.
    expect((await others[1]!.post('/api/campaigns', { name: 'Small' })).status).toBe(201);
    first.socket.destroy();
    await eventually(async () => (await held()) === 0);
    expect((await others[1]!.post('/api/emails', email)).status).toBe(200);
    // The client can have the whole response before the process knows it.
    await eventually(async () => (await held()) === 0);
  });

  it('count the bytes that have arrived, not the announced ones', async () => {
    const patient = await Promise.all(Array.from({ length: 20 }, () => unfinished(client.apiKey, 0)));
    const other = await service.organization();
    const email = { to: 'a@example.com', subject: 'S', htmlContent: 'x'.repeat(5 * MEGABYTE) };
    expect((await other.post('/api/emails', email)).status).toBe(200);
    for (const { socket } of patient) socket.destroy();
    await eventually(async () => (await held()) === 0);
  });

  it("that stop midway are logged as the client's fault, not as an error of the service", async () => {
    const conversation = await unfinished(client.apiKey, 1);
    await eventually(async () => (await held()) > 0);
    conversation.socket.destroy();
    await eventually(async () => (await held()) === 0);
    expect(warnings).toEqual([]);
  });
});
