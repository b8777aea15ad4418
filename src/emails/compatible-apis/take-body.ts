import type { FastifyRequest } from 'fastify';

/** The body of a request as it was parsed. The request forgets it, so that encoded attachments can be freed. */
export function takeBody(request: FastifyRequest): unknown {
  const { body } = request;
  request.body = undefined;
  return body;
}
