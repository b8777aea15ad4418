import { errorCodes, type FastifyRequest } from 'fastify';

/**
 * For a body of a type that the route does not take. Clients that send none often declare a type all the same, such as
 * `fetch` with an empty text: an empty body is none, whatever its type.
 * @returns the body of a request without one
 * @throws FST_ERR_CTP_INVALID_MEDIA_TYPE
 */
export function refuseMediaType({ headers }: FastifyRequest): undefined {
  if (headers['content-length'] === '0' && headers['transfer-encoding'] === undefined) return undefined;
  throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers['content-type'] ?? '');
}
