import { STATUS_CODES } from 'node:http';
import { readableAcceptance, readableReason } from '../failure-reason.js';
import {
  boundedPauseMs,
  bodyFields,
  DEFAULT_PAUSE_MS,
  requestedPauseMs,
  type ProviderResponse,
} from '../http/provider-response.js';
import type { DeliveryOutcome } from '../provider.js';

/**
 * The text of a server behind a wrong MAILGUN_API_URL: Mailgun responds so at addresses that are not part of its API.
 */
const NOT_THE_API = /^"?Mailgun Magnificent API/;
/** Sent with 401 or 403. The domain is the one in the path, so it belongs to the credential. */
const ABOUT_DOMAIN = /^(Domain \S+ )?(domain )?(is )?(not found|not allowed to send|unverified|disabled|inactive)\b/i;
/** A sandbox domain, or a free account, sends only to these. Others are refused, and only they. */
const ABOUT_RECIPIENT = /\bauthorized recipients\b/i;
/** Mailgun sends this with 420, for a limit of an hour or a day of the domain. */
const LIMIT = /\blimit exceeded\b|\btry again after\b/i;
const TRY_AFTER = /\btry again after ([\w:, ]{1,40})/i;
const ABOUT_ACCOUNT = /\b(account|billing|payment|plan|subscription)\b/i;
const ABOUT_SENDER = /^'?from'? parameter\b/i;

/**
 * Maps a response of Mailgun to an outcome. `now` is in milliseconds since the epoch.
 * No status above 499 guarantees that Mailgun did not accept the message; users report that it did after some.
 */
export function mailgunOutcome(response: ProviderResponse, messageId: string, now: number): DeliveryOutcome {
  const { status } = response;
  const message = messageOf(response);
  const reason = readableReason(`Mailgun responded with ${status}: ${message || (STATUS_CODES[status] ?? 'unknown')}`);
  if (status >= 200 && status < 300) {
    if (NOT_THE_API.test(message)) return { kind: 'credential-refused', reason };
    return acceptance(response, messageId, reason);
  }
  if (status === 408 || status >= 500) return { kind: 'ambiguous', reason };
  // Not followed, because a redirect would send the API key to another host. Usually MAILGUN_API_URL is wrong.
  if (status < 400) return { kind: 'retry', reason };
  if (status === 429 || status === 420)
    return { kind: 'throttled', reason, pauseMs: pauseMsOf(response, message, now) };
  switch (status) {
    case 401:
    case 404:
    case 405:
      // The last two are about the path, which names only the domain.
      return { kind: 'credential-refused', reason };
    case 402:
      // "The request failed" in former documentation. Only an account that owes money concerns other mail.
      return { kind: ABOUT_ACCOUNT.test(message) ? 'credential-refused' : 'retry', reason };
    case 400:
    case 403:
      return outcomeOfRefusal(response, message, reason, now);
  }
  return { kind: 'refused', reason };
}

/** 403 means the key or the domain, 400 usually the message, but either may come with the text of the other. */
function outcomeOfRefusal(response: ProviderResponse, message: string, reason: string, now: number): DeliveryOutcome {
  // What was not read may be about the domain or about this message only.
  if (response.isCut) return { kind: 'retry', reason };
  if (response.status === 400 && !ABOUT_DOMAIN.test(message)) {
    return { kind: 'refused', reason, ...(ABOUT_SENDER.test(message) && { about: 'sender' }) };
  }
  if (ABOUT_RECIPIENT.test(message)) return { kind: 'refused', reason };
  if (LIMIT.test(message)) return { kind: 'throttled', reason, pauseMs: pauseMsOf(response, message, now) };
  return { kind: 'credential-refused', reason };
}

function acceptance({ body }: ProviderResponse, messageId: string, words: string): DeliveryOutcome {
  const { id } = bodyFields(body);
  const providerId = typeof id === 'string' ? id.trim().replace(/^<|>$/g, '').slice(0, 200) : '';
  return { kind: 'accepted', providerId: providerId || messageId, response: readableAcceptance(words) };
}

/** Reads the time in the message, else Retry-After. */
function pauseMsOf(response: ProviderResponse, message: string, now: number): number {
  const requested = waitMsOf(TRY_AFTER.exec(message)?.[1] ?? '', now);
  if (!Number.isNaN(requested)) return boundedPauseMs(requested);
  return requestedPauseMs(response, now) ?? DEFAULT_PAUSE_MS;
}

/** The limit of calls names seconds, that of messages a date. @returns NaN for any other text */
function waitMsOf(text: string, now: number): number {
  const [, seconds] = /^(\d{1,6}) seconds?\b/i.exec(text) ?? [];
  return seconds === undefined ? Date.parse(text) - now : Number(seconds) * 1000;
}

/** The sentence of the API, or a short text that is not JSON, such as Forbidden. Not the error page of a gateway. */
function messageOf({ body, isCut }: ProviderResponse): string {
  if (isCut) return '';
  if (typeof body === 'string') return body.length > 200 || body.includes('<') ? '' : body.trim();
  const { message } = bodyFields(body);
  return typeof message === 'string' ? message : '';
}
