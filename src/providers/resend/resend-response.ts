import { STATUS_CODES } from 'node:http';
import { readableAcceptance, readableReason } from '../failure-reason.js';
import { DEFAULT_PAUSE_MS, bodyFields, requestedPauseMs, type ProviderResponse } from '../http/provider-response.js';
import type { DeliveryOutcome } from '../provider.js';

/**
 * The daily quota counts a day, the monthly one ends with an upgrade, so a short pause would only repeat the refusal.
 */
const QUOTA_PAUSE_MS = 15 * 60_000;

/** Errors such as invalid_api_key, or the same as a validation error. */
const ABOUT_KEY = /_api_key$|^authentication_error$/i;
const ABOUT_KEY_IN_WORDS = /\bapi key is (invalid|missing|suspended|inactive|disabled)\b|\bmissing api key\b/i;
const ABOUT_ACCOUNT = /\b(account|team)\b[^.]{0,40}\b(suspended|disabled|paused|blocked|under review)\b/i;
/**
 * The domain of `from` is not verified; the key, or the account, may not send for it; or it is the domain for tests,
 * from which only the owner of the account gets mail. Each concerns one sender, while others can send.
 */
const ABOUT_SENDER = [
  /\bdomain is not verified\b/i,
  /\bnot authorized to send emails from\b/i,
  /\bonly send testing emails\b|\bdomain is for testing\b/i,
  /[`'"]from[`'"]? (field|address)/i,
];

/**
 * Maps a response of Resend to an outcome. `now` is in milliseconds since the epoch.
 * No status above 499 guarantees that Resend did not accept the message.
 */
export function resendOutcomeOf(response: ProviderResponse, messageId: string, now: number): DeliveryOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) return acceptance(response, messageId);
  const { name, message } = errorOf(response);
  const text = [name, message].filter((part) => part !== '').join(': ') || (STATUS_CODES[status] ?? 'unknown status');
  const reason = readableReason(`Resend responded with ${status}: ${text}`);
  if (status === 429) return { kind: 'throttled', reason, pauseMs: pauseMsOf(name, response, now) };
  // Another call with the same key is in progress, or had another body: either may have been accepted.
  if (status >= 500 || status === 408 || status === 409) return { kind: 'ambiguous', reason };
  // Not followed, because a redirect would send the API key to another host. Usually RESEND_API_URL is wrong.
  if (status < 400) return { kind: 'retry', reason };
  return outcomeOfRefusal(response, reason);
}

/** A validation error has 400, 401, 403 or 422, and is about the key, the sender or the email. */
function outcomeOfRefusal(response: ProviderResponse, reason: string): DeliveryOutcome {
  const { status } = response;
  const { name, message } = errorOf(response);
  if (name === 'invalid_from_address' || ABOUT_SENDER.some((words) => words.test(message))) {
    return { kind: 'refused', reason, about: 'sender' };
  }
  if (ABOUT_KEY.test(name) || ABOUT_KEY_IN_WORDS.test(message)) return { kind: 'credential-refused', reason };
  switch (status) {
    case 401:
    case 402:
    case 404:
    case 405:
      // The last two are about the address of the API, which all mail uses.
      return { kind: 'credential-refused', reason };
    case 403:
      if (ABOUT_ACCOUNT.test(message)) return { kind: 'credential-refused', reason };
      // It may be about one email, which must not hold the mail of all others, or about all mail, which must not fail.
      return { kind: 'retry', reason };
    case 400:
    case 422:
      // What was not read may be about the key or about this email only.
      if (response.isCut) return { kind: 'retry', reason };
  }
  return { kind: 'refused', reason };
}

function acceptance({ status, body }: ProviderResponse, messageId: string): DeliveryOutcome {
  const { id } = bodyFields(body);
  const known = typeof id === 'string' && id !== '' ? id.slice(0, 200) : undefined;
  const words = `Resend responded with ${status}${known === undefined ? '' : `, email ID ${known}`}`;
  return { kind: 'accepted', providerId: known ?? messageId, response: readableAcceptance(words) };
}

function pauseMsOf(name: string, response: ProviderResponse, now: number): number {
  if (name === 'daily_quota_exceeded' || name === 'monthly_quota_exceeded') return QUOTA_PAUSE_MS;
  return requestedPauseMs(response, now) ?? DEFAULT_PAUSE_MS;
}

/** The error of the API. Empty if the body is the error page of a gateway. */
function errorOf({ body }: ProviderResponse): { readonly name: string; readonly message: string } {
  const { name, message } = bodyFields(body);
  return { name: typeof name === 'string' ? name : '', message: typeof message === 'string' ? message : '' };
}
