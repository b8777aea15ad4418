import type { FastifyRequest } from 'fastify';
import { BYTES_PER_VALUE } from '../../platform/http/body-limits.js';
import { reserveForBody } from '../../platform/http/json-bodies.js';
import { countJsonValues } from '../../platform/http/json-structure.js';
import { rawBodyOf } from '../../platform/http/request-check.js';

/**
 * Parses the body of a call, and reserves the memory of its values until the response.
 * @returns undefined if it has too many values; `parsed` is undefined if it is not JSON
 * @throws TooManyBodyBytesError, BodyShareExceededError
 */
export function parseBody(request: FastifyRequest, maxValues: number): { readonly parsed: unknown } | undefined {
  const body = rawBodyOf(request);
  const values = countJsonValues(body, maxValues + 1);
  if (values > maxValues) return undefined;
  reserveForBody(request, values * BYTES_PER_VALUE);
  return { parsed: parseJson(body) };
}

/** Undefined if the bytes are not JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
