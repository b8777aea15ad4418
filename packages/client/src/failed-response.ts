import type { FieldProblem } from './api-types.js';
import { MailbeaconError } from './mailbeacon-error.js';
import { parseRetryAfter } from './retry-policy.js';

/** The error of a response. One of a proxy can be JSON as well, with other types in these places. */
export async function failureOf(response: Response, sentId: string): Promise<MailbeaconError> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => null)) as { error?: unknown; details?: unknown } | null;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
  const requestId = headers.get('x-request-id') ?? sentId;
  const message = typeof body?.error === 'string' ? body.error : `The response has the status ${status}`;
  const details = Array.isArray(body?.details) ? (body.details as FieldProblem[]) : [];
  return new MailbeaconError({ status, message, requestId, details, retryAfterMs });
}
