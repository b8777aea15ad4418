import type { FastifyRequest } from 'fastify';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { InvalidBodyError } from '../../platform/http/invalid-body-error.js';
import { isJsonObject } from '../../platform/http/json-object.js';
import { streamedBodyOf } from '../../platform/http/streamed-bodies.js';
import { csvRecipients, listedRecipients, ndjsonRecipients, type ReadLine } from './recipient-lines.js';

/** Of one call as JSON; a stream has no such limit. */
export const MAX_LISTED_RECIPIENTS = 10_000;

/**
 * The recipients of a request, parsed by its content type.
 * @throws InvalidFieldError, InvalidBodyError
 */
export function recipientsOf(
  request: FastifyRequest,
): AsyncIterable<readonly ReadLine[]> | Iterable<readonly ReadLine[]> {
  const type = request.headers['content-type']?.toLowerCase() ?? '';
  if (type.startsWith('text/csv')) return csvRecipients(streamedBodyOf(request));
  if (type.startsWith('application/x-ndjson')) return ndjsonRecipients(streamedBodyOf(request));
  const { body } = request;
  if (!isJsonObject(body)) throw new InvalidBodyError('The body must be a JSON object');
  const { recipients } = body;
  if (!Array.isArray(recipients)) throw new InvalidFieldError('recipients', 'is required and must be an array');
  if (recipients.length > MAX_LISTED_RECIPIENTS)
    throw new InvalidFieldError('recipients', `must name at most ${MAX_LISTED_RECIPIENTS}: send more as a stream`);
  return listedRecipients(recipients);
}
