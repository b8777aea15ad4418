import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../../src/platform/errors/domain-error.js';
import { BodyBudget } from '../../../src/platform/http/body-budget.js';
import type { BodyDeadlines } from '../../../src/platform/http/body-deadlines.js';
import { HttpMetrics } from '../../../src/platform/http/http-metrics.js';
import { createHttpAdapter } from '../../../src/platform/http/http-server.js';
import { acceptJsonBodies } from '../../../src/platform/http/json-bodies.js';
import { acceptStreamedBodies, streamedBodyOf } from '../../../src/platform/http/streamed-bodies.js';
import { eventually } from '../../support/eventually.js';

const MEGABYTE = 1024 * 1024;
/** Time limit of a whole request, which each upload below exceeds. */
const REQUEST_TIMEOUT_MS = 100;

/** A server with the body parsers of the product, which responds with the number of received bytes. */
async function serve(deadlines: BodyDeadlines, work: (server: Server) => Promise<void>): Promise<void> {
  const adapter = createHttpAdapter({
    settings: { KEEP_ALIVE_TIMEOUT_MS: 75_000, MAX_CONNECTIONS: 10 },
    logger: pino({ level: 'silent' }),
    metrics: new HttpMetrics(new Registry()),
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const budget = new BodyBudget(100 * MEGABYTE, 40 * MEGABYTE);
  const reserve = () => budget.open('one tenant');
  acceptJsonBodies(fastify, reserve, deadlines);
  acceptStreamedBodies(fastify, reserve, deadlines);
  fastify.setErrorHandler((error, _request, reply) => {
    const status = error instanceof DomainError && error.kind === 'timeout' ? 408 : 500;
    return reply.status(status).send({ error: (error as Error).message });
  });
  const large = { maxBodyBytes: 30 * MEGABYTE };
  const streams = ['text/csv', 'application/x-ndjson'] as const;
  fastify.post('/small', (request) => JSON.stringify(request.body).length);
  fastify.post('/messages', { config: large }, (request) => JSON.stringify(request.body).length);
  fastify.post('/recipients', { config: { ...large, streams, streamsAnyLength: true } }, streamedLength);
  const server = adapter.getHttpServer() as Server;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  await adapter.listen(0, '127.0.0.1');
  await work(server).finally(() => adapter.close());
}

async function streamedLength(request: FastifyRequest): Promise<number> {
  let length = 0;
  for await (const piece of streamedBodyOf(request)) length += piece.length;
  return length;
}

/** A request whose body is sent in pieces. */
class Upload {
  response = '';
  private readonly socket: Socket;

  constructor(server: Server, path: string, type: string, first: string) {
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    this.socket.on('data', (data) => (this.response += String(data)));
    this.socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    this.send(first);
  }

  send(piece: string): void {
    this.socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  }

  async finish(last: string): Promise<string> {
    this.send(last);
    this.socket.write('0\r\n\r\n');
    return this.readResponse();
  }

  /** The whole response; empty if the connection was closed without one. */
  async readResponse(): Promise<string> {
    await eventually(() => this.socket.closed || /\r\n\r\n[^]+/.test(this.response), 30_000);
    this.socket.destroy();
    return this.response;
  }
}

const uploads = (server: Server): readonly (readonly [Upload, string, string])[] => [
  [new Upload(server, '/messages', 'application/json', '{"x":"'), 'x', '"}'],
  [new Upload(server, '/recipients', 'application/x-ndjson', '{}\n'), '{}\n', '{}\n'],
  [new Upload(server, '/recipients', 'text/csv', 'to\n'), 'a\n', 'b'],
];

it('a large body may take longer than a request, as long as bytes keep arriving', async () => {
  await serve({ stallMs: 60_000, totalMs: 600_000 }, async (server) => {
    let overdue = 0;
    server.on('clientError', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ERR_HTTP_REQUEST_TIMEOUT') overdue++;
    });
    const sent = uploads(server);
    await eventually(() => {
      for (const [upload, piece] of sent) upload.send(piece);
      return overdue >= sent.length;
    }, 60_000);
    for (const [upload, , last] of sent) expect(await upload.finish(last)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it('one of which no byte arrives ends with a clear 408', async () => {
  await serve({ stallMs: 300, totalMs: 600_000 }, async (server) => {
    for (const [upload] of uploads(server)) {
      const response = await upload.readResponse();
      expect(response).toMatch(/^HTTP\/1\.1 408 [^]*connection: close/i);
      expect(response).toContain('{"error":"No part of the body arrived for 0.3 seconds"}');
    }
  });
});

it('one that never ends is aborted in time', async () => {
  await serve({ stallMs: 60_000, totalMs: 600 }, async (server) => {
    const sent = uploads(server);
    await eventually(() => {
      for (const [upload, piece] of sent) upload.send(piece);
      return sent.every(([upload]) => upload.response !== '');
    }, 30_000);
    for (const [upload] of sent) {
      const response = await upload.readResponse();
      expect(response).toMatch(/^HTTP\/1\.1 408 /);
      expect(response).toContain('{"error":"The body took longer than 0.01 minutes to arrive"}');
    }
  });
});

it('a small body has no more time than its request', async () => {
  await serve({ stallMs: 60_000, totalMs: 600_000 }, async (server) => {
    const response = await new Upload(server, '/small', 'application/json', '{').readResponse();
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    expect(response).toContain('{"error":"The request took too long to arrive"}');
  });
});
