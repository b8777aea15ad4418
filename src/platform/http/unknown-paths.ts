import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBodyWriter } from './error.filter.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Responds to an unknown path. Returns false to leave it to the default. */
    respondToUnknownPath?: (request: FastifyRequest, reply: FastifyReply) => boolean;
    /** For clients that expect the error of an unknown path in a form of their own. */
    errorBodyOfUnknownPath?: (request: FastifyRequest) => ErrorBodyWriter | undefined;
  }
}

/** Responds 404 before the body is read. */
export function refuseUnknownPaths(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    if (fastify.respondToUnknownPath?.(request, reply)) return;
    void refuseUnknownPath(request, reply);
  });
}

export function refuseUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const response = { status: 404, error: 'Not found: no route has this method and path' };
  const errorBody = request.server.errorBodyOfUnknownPath?.(request);
  return reply.status(404).send(errorBody ? errorBody(response, undefined) : { error: response.error });
}
