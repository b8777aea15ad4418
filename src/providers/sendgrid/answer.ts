import { STATUS_CODES } from 'node:http';
import type { DeliveryOutcome } from '../provider.js';
import { readableReason } from '../reason.js';

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
 * 500 and 503 say that nothing was done; 502 and 504 come from a gateway that does not know, as may any other 5xx.
 */
export function outcomeOfAnswer(answer: Answer, messageId: string, now: number): DeliveryOutcome {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) {
    const providerId = header(headers, 'x-message-id')?.trim();
    return { kind: 'accepted', providerId: providerId ? providerId.slice(0, 200) : messageId };
  }
  const reason = readableReason(`SendGrid answered ${status}: ${explanation(answer)}`);
  switch (status) {
    case 401:
    case 402:
    case 403:
      return { kind: 'credential-refused', reason };
    case 429:
      return { kind: 'throttled', reason, pauseMs: requestedPauseMs(headers, now) ?? DEFAULT_PAUSE_MS };
    case 408:
    case 500:
      return { kind: 'retry', reason };
    case 503: {
      const afterMs = requestedPauseMs(headers, now);
      return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
    }
  }
  if (status >= 500) return { kind: 'ambiguous', reason };
  // Not followed: a redirect would carry the key to another host, and usually means a wrong SENDGRID_API_URL.
  if (status < 400) return { kind: 'retry', reason };
  return { kind: 'refused', reason };
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

/** The messages of the API, else the meaning of the status: some errors are a gateway's HTML page. */
function explanation({ status, body }: Answer): string {
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  const messages = Array.isArray(errors) ? errors.map(toMessage).filter((message) => message !== '') : [];
  return messages.length > 0 ? messages.join('; ') : (STATUS_CODES[status] ?? 'unknown status');
}

function toMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { message, field } = error as { message?: unknown; field?: unknown };
  if (typeof message !== 'string') return '';
  return typeof field === 'string' && field !== '' ? `${message} (${field})` : message;
}
