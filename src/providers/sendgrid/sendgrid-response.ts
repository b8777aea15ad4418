import { STATUS_CODES } from 'node:http';
import type { DeliveryOutcome } from '../provider.js';
import { readableAcceptance, readableReason } from '../failure-reason.js';
import {
  boundedPauseMs,
  bodyFields,
  DEFAULT_PAUSE_MS,
  headerOf,
  requestedPauseMs,
  type ProviderResponse,
} from '../http/provider-response.js';

/**
 * Maps a response of SendGrid to an outcome. `now` is in milliseconds since the epoch.
 * Only 503 guarantees that SendGrid did not accept the message. With 500, 408 or a gateway error, it may have.
 */
export function sendGridOutcome(response: ProviderResponse, messageId: string, now: number): DeliveryOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) {
    const providerId = headerOf(response, 'x-message-id')?.trim();
    const words = `SendGrid responded with ${status}${providerId ? `, message ID ${providerId}` : ''}`;
    const id = providerId ? providerId.slice(0, 200) : messageId;
    return { kind: 'accepted', providerId: id, response: readableAcceptance(words) };
  }
  const errors = errorsOf(response);
  const reason = readableReason(`SendGrid responded with ${status}: ${explanation(status, errors)}`);
  const refused: DeliveryOutcome = { kind: 'refused', reason, ...(errors.some(namesSender) && { about: 'sender' }) };
  switch (status) {
    case 401:
    case 402:
    case 404:
    case 405:
      // The last two are about the address of the API, which all mail uses.
      return { kind: 'credential-refused', reason };
    case 403:
      // A forbidden sender concerns this email only. Any other 403 concerns the account.
      if (refused.about === 'sender') return refused;
      // What was not read may name the sender, so it must not hold the mail of all others.
      return response.isCut ? { kind: 'retry', reason } : { kind: 'credential-refused', reason };
    case 408:
      return { kind: 'ambiguous', reason };
    case 429:
      return { kind: 'throttled', reason, pauseMs: pauseMsOf(response, now) ?? DEFAULT_PAUSE_MS };
    case 503: {
      const afterMs = pauseMsOf(response, now);
      return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
    }
  }
  if (status >= 500) return { kind: 'ambiguous', reason };
  // Not followed, because a redirect would send the API key to another host. Usually SENDGRID_API_URL is wrong.
  if (status < 400) return { kind: 'retry', reason };
  return refused;
}

/** Reads X-RateLimit-Reset (seconds since the epoch), else Retry-After. */
function pauseMsOf(response: ProviderResponse, now: number): number | undefined {
  const reset = headerOf(response, 'x-ratelimit-reset')?.trim();
  if (reset !== undefined && /^\d{1,15}$/.test(reset)) return boundedPauseMs(Number(reset) * 1000 - now);
  return requestedPauseMs(response, now);
}

interface ApiError {
  readonly message: string;
  /** The field of the request that caused the error, or ''. */
  readonly field: string;
}

/** The errors in the body. None if the body is the error page of a gateway. */
function errorsOf({ body, isCut }: ProviderResponse): ApiError[] {
  if (isCut) return completeErrorsIn(String(body));
  const { errors } = bodyFields(body);
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
