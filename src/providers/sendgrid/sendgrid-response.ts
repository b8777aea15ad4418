import { STATUS_CODES } from 'node:http';
import type { DeliveryOutcome } from '../provider.js';
import { readableReason } from '../failure-reason.js';

/** One answer of the API. Header names are lower case; `body` is parsed JSON, other text, or undefined. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const SHORTEST_PAUSE_MS = 1000;
/** Longer waits are taken for a wrong clock on either side. */
const LONGEST_PAUSE_MS = 15 * 60_000;
/** When a 429 does not say how long. */
const DEFAULT_PAUSE_MS = 30_000;

/**
 * What an answer of SendGrid means. `now` is in milliseconds since the epoch.
 * Only 503 says that nothing was done. A 500, a 408 and what a gateway answers may follow an acceptance.
 */
export function outcomeOfAnswer(answer: Answer, messageId: string, now: number): DeliveryOutcome {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) {
    const providerId = header(headers, 'x-message-id')?.trim();
    return { kind: 'accepted', providerId: providerId ? providerId.slice(0, 200) : messageId };
  }
  const errors = errorsOf(answer.body);
  const reason = readableReason(`SendGrid answered ${status}: ${explanation(status, errors)}`);
  const refused: DeliveryOutcome = { kind: 'refused', reason, ...(errors.some(namesSender) && { about: 'sender' }) };
  switch (status) {
    case 401:
    case 402:
      return { kind: 'credential-refused', reason };
    case 403:
      // A sender that the account may not use is this email's trouble; any other 403 is the account's.
      return refused.about === 'sender' ? refused : { kind: 'credential-refused', reason };
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
  // Not followed: a redirect would carry the key to another host, and usually means a wrong SENDGRID_API_URL.
  if (status < 400) return { kind: 'retry', reason };
  return refused;
}

/** From X-RateLimit-Reset (seconds since the epoch), else Retry-After (RFC 9110, 10.2.3), within sensible bounds. */
function requestedPauseMs(headers: Answer['headers'], now: number): number | undefined {
  const reset = header(headers, 'x-ratelimit-reset')?.trim();
  if (reset !== undefined && /^\d{1,15}$/.test(reset)) return boundedPause(Number(reset) * 1000 - now);
  const retryAfter = header(headers, 'retry-after')?.trim();
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,15}$/.test(retryAfter)) return boundedPause(Number(retryAfter) * 1000);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : boundedPause(date - now);
}

function boundedPause(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

function header(headers: Answer['headers'], name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

interface ApiError {
  readonly message: string;
  /** The field of the request that it is about, or ''. */
  readonly field: string;
}

/** The errors of the API; none where the body is a gateway's page. */
function errorsOf(body: unknown): ApiError[] {
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) => {
    const { message, field } = (error ?? {}) as { message?: unknown; field?: unknown };
    return typeof message === 'string' ? [{ message, field: typeof field === 'string' ? field : '' }] : [];
  });
}

/** Twilio error 60222; the field is `from` or a part of it, and is not always given. */
function namesSender({ message, field }: ApiError): boolean {
  return /^from(\.|$)/i.test(field) || /verified sender identity/i.test(message);
}

/** The messages of the API, else the meaning of the status. */
function explanation(status: number, errors: readonly ApiError[]): string {
  const messages = errors.map(({ message, field }) => (field === '' ? message : `${message} (${field})`));
  const text = messages.filter((message) => message !== '').join('; ');
  return text || (STATUS_CODES[status] ?? 'unknown status');
}
