import type { Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

export interface ResponsePatience {
  /** How long a client may take none of its response. */
  readonly stallMs: number;
  /** How long it may take for all of it: the largest has a few megabytes. */
  readonly wholeMs: number;
}

export const RESPONSE_PATIENCE: ResponsePatience = { stallMs: 30_000, wholeMs: 120_000 };

/** What the kernel takes at once, whether the client reads it or not. */
const SMALL_BYTES = 64 * 1024;

/** Cuts connections whose client does not read its response, which the process would otherwise hold for ever. */
export function cutStalledResponses(server: Server, { stallMs }: ResponsePatience): void {
  server.timeout = stallMs;
  const watch = (_request: unknown, response: ServerResponse): void => {
    // While a request is being handled its connection is silent, which is no fault of the client.
    response.on('timeout', () => {
      if (response.writableEnded) response.socket?.destroy();
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, watch);
}

/** Cuts those that read theirs a few bytes at a time. */
export function cutSlowResponses(fastify: FastifyInstance, { wholeMs }: ResponsePatience): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (sizeOf(payload) > SMALL_BYTES) {
      const timer = setTimeout(() => reply.raw.socket?.destroy(), wholeMs).unref();
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/** Infinite for a stream. */
function sizeOf(payload: unknown): number {
  if (payload === undefined || payload === null) return 0;
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Infinity;
}
