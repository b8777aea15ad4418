import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { HttpMetrics } from '../../../src/platform/http/http-metrics.js';
import { createHttpAdapter } from '../../../src/platform/http/http-server.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';

const EXPORT = { config: { maxResponseMs: 600_000 } };

let adapter: FastifyAdapter;
let server: FastifyInstance;

beforeEach(() => {
  adapter = createHttpAdapter({
    settings: { KEEP_ALIVE_TIMEOUT_MS: 75_000, MAX_CONNECTIONS: 10 },
    logger: pino({ level: 'silent' }),
    metrics: new HttpMetrics(new Registry()),
  });
  server = adapter.getInstance<FastifyInstance>();
});
afterEach(() => adapter.close());

async function connected() {
  await adapter.listen(0, '127.0.0.1');
  const { port } = (adapter.getHttpServer() as Server).address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return {
    leave: () => socket.destroy(),
    request: (path: string, method = 'GET') => void socket.write(head(method, path)),
  };
}

const head = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: api.test\r\nContent-Length: 2\r\n\r\n{}`;

/** More than a response buffers. */
const rows = (): Readable => Readable.from(new Array(100).fill('x'.repeat(10_000)), { highWaterMark: 1 });

it('a response whose client left before it began is not kept', async () => {
  let response: WeakRef<Readable> | undefined;
  let began = false;
  server.get('/export', EXPORT, async (_request, reply) => {
    began = true;
    await once(reply.raw, 'close');
    const body = rows();
    response = new WeakRef(body);
    return body;
  });
  const client = await connected();
  client.request('/export');
  await eventually(() => began);
  client.leave();
  await eventually(() => response !== undefined);
  await eventually(() => {
    collectGarbage();
    return response!.deref() === undefined;
  });
});

it.each(['GET', 'POST'] as const)(
  'a response to %s that waits for an earlier one of its connection ends with the connection',
  async (method) => {
    let ended = false;
    let waits = false;
    server.get('/slow', (_request, reply) => void reply.hijack());
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null));
    server.route({ ...EXPORT, method, url: '/export', handler: () => rows().once('close', () => (ended = true)) });
    server.addHook('onSend', (_request, _reply, _payload, done) => {
      waits = true;
      done();
    });
    const client = await connected();
    client.request('/slow');
    client.request('/export', method);
    await eventually(() => waits);
    expect(ended).toBe(false);
    client.leave();
    await eventually(() => ended);
  },
);

it('a stream that is sent after its connection has closed ends', async () => {
  let ended = false;
  let arrived = false;
  server.get('/slow', (_request, reply) => void reply.hijack());
  server.get('/export', EXPORT, async (_request, reply) => {
    arrived = true;
    await once(reply.raw, 'close');
    return rows().once('close', () => (ended = true));
  });
  const client = await connected();
  client.request('/slow');
  client.request('/export');
  await eventually(() => arrived);
  client.leave();
  await eventually(() => ended);
});
