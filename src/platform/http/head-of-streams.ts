import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Ends the stream of a response to a HEAD request, which has no body. Fastify would read it to its end: a whole export,
 * after the response.
 */
export function endStreamsOfHead(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done();
    payload.on('error', () => undefined).destroy();
    done(null, Readable.from([]));
  });
}
