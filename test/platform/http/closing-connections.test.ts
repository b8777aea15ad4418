import { EventEmitter, once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { CloseTimeouts } from '../../../src/platform/http/closing-connections.js';
import { StaticResponse, type Reply } from '../../../src/platform/http/fast-path/static-response.js';
import { HttpMetrics } from '../../../src/platform/http/http-metrics.js';
import { createHttpAdapter } from '../../../src/platform/http/http-server.js';
import { eventually } from '../../support/eventually.js';

/** Longer than a test may take: a connection that only this limit would close lets the test fail. */
const NEVER_MS = 600_000;
const EMPTY = new StaticResponse(200, ['Content-Length', '0']);

/** A server that lets the test respond. It emits `static` with a reply, and `page` with a response. */
class HeldServer extends EventEmitter {
  private readonly adapter: FastifyAdapter;
  closed: Promise<void> | undefined;

  constructor(closeTimeouts: Partial<CloseTimeouts>) {
    super();
    this.adapter = createHttpAdapter({
      settings: { KEEP_ALIVE_TIMEOUT_MS: NEVER_MS, MAX_CONNECTIONS: 10 },
      logger: pino({ level: 'silent' }),
      metrics: new HttpMetrics(new Registry()),
      closeTimeouts: { headersMs: NEVER_MS, requestMs: NEVER_MS, ...closeTimeouts },
      fastPath: {
        prefix: '/static/',
        handle: (_method, url, reply) => url.startsWith('/static/') && this.emit('static', reply),
      },
      beforeRouting: (_request, response) => this.emit('page', response),
    });
  }

  async listen(): Promise<void> {
    await this.adapter.listen(0, '127.0.0.1');
  }

  /** Resolves once it accepts no more connections. */
  async startClosing(): Promise<void> {
    this.closed ??= this.adapter.close();
    await eventually(() => !(this.adapter.getHttpServer() as Server).listening);
  }

  connect(): Client {
    return new Client(((this.adapter.getHttpServer() as Server).address() as AddressInfo).port);
  }
}

class Client {
  received = '';
  readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').on('error', () => undefined);
    this.socket.on('data', (data) => (this.received += String(data)));
  }

  send(text: string): void {
    this.socket.write(text);
  }

  async request(server: HeldServer, kind: 'static' | 'page'): Promise<unknown> {
    const arrived = once(server, kind);
    // The body keeps the request off the fast path.
    this.send(`POST /${kind}/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n.`);
    return (await arrived)[0];
  }

  hasClosed(): Promise<boolean> {
    return eventually(() => this.socket.closed);
  }
}

let server: HeldServer;
let client: Client;

async function serve(closeTimeouts: Partial<CloseTimeouts> = {}): Promise<void> {
  server = new HeldServer(closeTimeouts);
  await server.listen();
  client = server.connect();
}
afterEach(async () => {
  client.socket.destroy();
  await server.startClosing();
  await server.closed;
});

it('a response of the fast path through node:http closes its connection while the server closes', async () => {
  await serve();
  const reply = (await client.request(server, 'static')) as Reply;
  await server.startClosing();
  reply.send(EMPTY);
  await Promise.all([server.closed, client.hasClosed()]);
  expect(client.received).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/i);
});

it('so does the response to a request that arrives only then', async () => {
  await serve();
  const page = (await client.request(server, 'page')) as ServerResponse;
  page.end();
  await eventually(() => client.received.includes('\r\n\r\n'));
  expect(client.received).not.toMatch(/connection: close/i);
  // The headers have begun, so Node does not regard the connection as idle.
  client.send('POST /page/x HTTP/1.1\r\n');
  await arrivedBefore(client);
  await server.startClosing();
  const late = once(server, 'page') as Promise<[ServerResponse]>;
  client.send('Host: x\r\nContent-Length: 0\r\n\r\n');
  (await late)[0].end();
  await Promise.all([server.closed, client.hasClosed()]);
  expect(client.received).toMatch(/connection: close/i);
});

it('a connection whose response began before is closed after it', async () => {
  await serve({ headersMs: 100 });
  const page = (await client.request(server, 'page')) as ServerResponse;
  page.write('first');
  await server.startClosing();
  page.end('last');
  await Promise.all([server.closed, client.hasClosed()]);
  expect(client.received).toContain('last');
});

it('a client that sends headers slowly is cut, and a request in progress is not', async () => {
  await serve({ headersMs: 100 });
  const busy = server.connect();
  const page = (await busy.request(server, 'page')) as ServerResponse;
  client.send('GET /static/x HTTP/1.1\r\nX: ');
  await arrivedBefore(client);
  await server.startClosing();
  const trickle = setInterval(() => client.send('x'), 10);
  await client.hasClosed();
  clearInterval(trickle);
  expect(client.received).toBe('');
  expect(busy.socket.closed).toBe(false);
  page.end('done');
  await Promise.all([server.closed, busy.hasClosed()]);
  expect(busy.received).toContain('done');
});

it('a request that never ends is cut, too, so that the process can stop in order', async () => {
  await serve({ requestMs: 100 });
  await client.request(server, 'page');
  await server.startClosing();
  await Promise.all([server.closed, client.hasClosed()]);
  expect(client.received).toBe('');
});

/** Resolves once the server has read what the client has sent: it reads connections in the order of arrival. */
async function arrivedBefore({ socket }: Client): Promise<void> {
  await eventually(() => socket.writableLength === 0 && !socket.connecting);
  const other = server.connect();
  ((await other.request(server, 'page')) as ServerResponse).end();
  await eventually(() => other.received.includes('\r\n\r\n'));
  other.socket.destroy();
}
