import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';

/** A body that is not plain, or not of a type that the route takes. */
export class UnsupportedBodyError extends DomainError {
  constructor(message: string) {
    super('unsupported-body', message);
  }
}

/**
 * For a body of a type that the route does not take. Clients that send none often declare a type all the same, such as
 * `fetch` with an empty text: an empty body is none, whatever its type.
 * @returns the body of a request without one
 * @throws UnsupportedBodyError
 */
export function refuseMediaType(request: FastifyRequest): undefined {
  const { headers } = request;
  if (headers['content-length'] === '0' && headers['transfer-encoding'] === undefined) return undefined;
  const types = mediaTypesOf(request);
  throw new UnsupportedBodyError(`The Content-Type must be ${types.length > 1 ? 'one of ' : ''}${types.join(', ')}`);
}

/** The media types of the bodies that the route takes. */
export function mediaTypesOf({ rawBody, routeOptions }: FastifyRequest): readonly string[] {
  const { rawBody: rawMediaType, streams, streamsAnyLength } = routeOptions.config;
  const raw = rawBody?.mediaType ?? rawMediaType;
  if (raw) return [raw];
  if (!streams) return ['application/json'];
  return streamsAnyLength ? ['application/json', ...streams] : streams;
}
