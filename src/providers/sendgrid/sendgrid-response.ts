import { STATUS_CODES } from 'node:http';
import { retryAfterMs } from '../../platform/outbound-http/retry-after.js';
import type { DeliveryOutcome } from '../provider.js';
import { readableAcceptance, readableReason } from '../failure-reason.js';

/** A response of the API. Header names are lower case. `body` is parsed JSON, other text, or undefined. */
export interface SendGridResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** True if the body is only the beginning of a longer text. */
  readonly isCut?: boolean;
}

const SHORTEST_PAUSE_MS = 1000;
/** A longer wait probably means a wrong clock on one side. */
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Pause after a 429 without a time. */
const DEFAULT_PAUSE_MS = 30_000;

/**
 * Maps a response of SendGrid to an outcome. `now` is in milliseconds since the epoch.
 * Only 503 guarantees that SendGrid did not accept the message. With 500, 408 or a gateway error, it may have.
 */
export function outcomeOfResponse(response: SendGridResponse, messageId: string, now: number): DeliveryOutcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) {
    const providerId = header(headers, 'x-message-id')?.trim();
    const words = `SendGrid responded with ${status}${providerId ? `, message ID ${providerId}` : ''}`;
    const response = readableAcceptance(words);
    return { kind: 'accepted', providerId: providerId ? providerId.slice(0, 200) : messageId, response };
  }
  const errors = errorsOf(response);
  const reason = readableReason(`SendGrid responded with ${status}: ${explanation(status, errors)}`);
  const refused: DeliveryOutcome = { kind: 'refused', reason, ...(errors.some(namesSender) && { about: 'sender' }) };
  switch (status) {
    case 401:
    case 402:
      return { kind: 'credential-refused', reason };
    case 403:
      // A forbidden sender concerns this email only. Any other 403 concerns the account.
      if (refused.about === 'sender') return refused;
      // What was not read may name the sender, so it must not hold the mail of all others.
      return response.isCut ? { kind: 'retry', reason } : { kind: 'credential-refused', reason };
    case 408:
      return { kind: 'ambiguous', reason };
    case 429:
      return { kind: 'throttled', reason, pauseMs: requestedPauseMs(headers, now) ?? DEFAULT_PAUSE_MS };
    case 503: {
      const afterMs = requestedPauseMs(headers, now);
      return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
    }
  }
  if (status >= 500) return { kind: 'ambiguous', reason };
  // Not followed, because a redirect would send the API key to another host. Usually SENDGRID_API_URL is wrong.
  if (status < 400) return { kind: 'retry', reason };
  return refused;
}

/** Statuses that a server can choose by the headers of a request, and that need no body to be understood. */
const DECIDED_BY_HEADERS = new Set([401, 402, 413, 429, 503]);

/**
 * Maps a response to an incomplete request, whose end was never sent. The message is certainly not accepted, even if
 * the status says so: it may be a second response to an earlier request, or come from a load balancer that closes the
 * connection. If `hasBegun` is false, it cannot be about this request.
 */
export function outcomeOfEarlyResponse(response: SendGridResponse, hasBegun: boolean, now: number): DeliveryOutcome {
  const { status } = response;
  if (hasBegun && DECIDED_BY_HEADERS.has(status)) return outcomeOfResponse(response, '', now);
  return { kind: 'retry', reason: `SendGrid responded with ${status} before the request was complete` };
}

/** Reads X-RateLimit-Reset (seconds since the epoch), else Retry-After (RFC 9110, 10.2.3), within bounds. */
function requestedPauseMs(headers: SendGridResponse['headers'], now: number): number | undefined {
  const reset = header(headers, 'x-ratelimit-reset')?.trim();
  if (reset !== undefined && /^\d{1,15}$/.test(reset)) return boundedPause(Number(reset) * 1000 - now);
  const requested = retryAfterMs(header(headers, 'retry-after'), now);
  return requested === undefined ? undefined : boundedPause(requested);
}

function boundedPause(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

function header(headers: SendGridResponse['headers'], name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

interface ApiError {
  readonly message: string;
  /** The field of the request that caused the error, or ''. */
  readonly field: string;
}

/** The errors in the body. None if the body is the error page of a gateway. */
function errorsOf({ body, isCut }: SendGridResponse): ApiError[] {
  if (isCut) return completeErrorsIn(String(body));
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  return Array.isArray(errors) ? errors.flatMap(toErrors) : [];
}

/** The errors whose objects ended before the text was cut. */
function completeErrorsIn(text: string): ApiError[] {
  return [...text.matchAll(/\{[^{}]*\}/g)].flatMap(([object]) => {
    try {
      return toErrors(JSON.parse(object));
    } catch {
      return [];
    }
  });
}

function toErrors(error: unknown): ApiError[] {
  const { message, field } = (error ?? {}) as { message?: unknown; field?: unknown };
  return typeof message === 'string' ? [{ message, field: typeof field === 'string' ? field : '' }] : [];
}

/** Twilio error 60222. The field is `from` or a part of it, but may be missing. */
function namesSender({ message, field }: ApiError): boolean {
  return /^from(\.|$)/i.test(field) || /verified sender identity/i.test(message);
}

/** The messages of the API, or else the standard text of the status. */
function explanation(status: number, errors: readonly ApiError[]): string {
  const messages = errors.map(({ message, field }) => (field === '' ? message : `${message} (${field})`));
  const text = messages.filter((message) => message !== '').join('; ');
  return text || (STATUS_CODES[status] ?? 'unknown status');
}
