import { STATUS_CODES } from 'node:http';
import { readableAcceptance, readableReason } from '../failure-reason.js';
import {
  DEFAULT_PAUSE_MS,
  bodyFields,
  headerOf,
  requestedPauseMs,
  type ProviderResponse,
} from '../http/provider-response.js';
import type { DeliveryOutcome, OutgoingEmail } from '../provider.js';

/** The daily quota counts the last 24 hours, so it frees up gradually. */
const QUOTA_PAUSE_MS = 15 * 60_000;

/** Errors about the account, its key or its configuration set. */
const CREDENTIAL_ERRORS = new Set([
  'AccountSuspendedException',
  'SendingPausedException',
  'NotFoundException',
  'ExpiredTokenException',
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'NotAuthorized',
  'OptInRequired',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);
/** The last two are about the address of the API, which all mail uses. */
const ABOUT_KEY_OR_ADDRESS = new Set([401, 402, 404, 405]);
/** In such words, SES also refuses each message of an account as if it were about the message. They are not ours. */
const ACCOUNT_PAUSED = /^sending (?:is )?(?:paused|suspended|disabled)\b/i;
/**
 * The MX record of the sender's custom MAIL FROM domain is not known, perhaps because DNS failed or SES has not
 * checked it yet.
 */
const NO_MAIL_FROM = 'MailFromDomainNotVerifiedException';
/** The connection broke before the response, whatever became of the request. It has the status 400. */
const ABORTED = 'RequestAbortedException';
const THROTTLING_ERRORS = new Set([
  'LimitExceededException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

type Email = Pick<OutgoingEmail, 'from' | 'messageId'>;

/**
 * Maps a response of SES to an outcome. `now` is in milliseconds since the epoch.
 * Only 503 guarantees that SES did not accept the message. With 500, 408 or a gateway error, it may have.
 */
export function sesOutcome(response: ProviderResponse, email: Email, now: number): DeliveryOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) return acceptance(response, email);
  const [error, message] = [errorOf(response), messageOf(response)];
  const text = [error, message].filter((part) => part !== '').join(': ') || (STATUS_CODES[status] ?? 'unknown status');
  const reason = readableReason(`SES responded with ${status}: ${text}`);
  if (status === 429 || THROTTLING_ERRORS.has(error)) {
    const usual = /daily|24.hour/i.test(message) ? QUOTA_PAUSE_MS : DEFAULT_PAUSE_MS;
    return { kind: 'throttled', reason, pauseMs: requestedPauseMs(response, now) ?? usual };
  }
  if (status === 503) {
    const afterMs = requestedPauseMs(response, now);
    return { kind: 'retry', reason, ...(afterMs !== undefined && { afterMs }) };
  }
  if (status >= 500 || status === 408 || error === ABORTED) return { kind: 'ambiguous', reason };
  // Not followed, because a redirect would send the signature to another host. Usually SES_API_URL is wrong.
  if (status < 400) return { kind: 'retry', reason };
  if (CREDENTIAL_ERRORS.has(error) || ACCOUNT_PAUSED.test(message)) return { kind: 'credential-refused', reason };
  if (ABOUT_KEY_OR_ADDRESS.has(status)) return { kind: 'credential-refused', reason };
  if (status === 403 || error === 'AccessDeniedException') {
    // The policy of the key may exclude one sender, which must not hold the mail of all others. It may also exclude
    // everything, in which case nothing is wrong with the email.
    const mayNameSender = response.isCut || /identity\//i.test(message);
    return { kind: mayNameSender ? 'retry' : 'credential-refused', reason };
  }
  if (error === NO_MAIL_FROM) return { kind: 'retry', reason };
  // What was not read may be about the account or about this message only.
  if (status === 400 && response.isCut) return { kind: 'retry', reason };
  return { kind: 'refused', reason, ...(isAboutSender(message, email) && { about: 'sender' }) };
}

function acceptance(response: ProviderResponse, { messageId }: Email): DeliveryOutcome {
  const { MessageId: id } = bodyFields(response.body);
  const known = typeof id === 'string' && id !== '' ? id : undefined;
  const words = `SES responded with ${response.status}${known ? `, message ID ${known}` : ''}`;
  return { kind: 'accepted', providerId: known?.slice(0, 200) ?? messageId, response: readableAcceptance(words) };
}

/**
 * An unverified sender. While an account is in the sandbox, SES refuses unverified recipients in the same words, and
 * lists the addresses.
 */
function isAboutSender(message: string, { from }: Email): boolean {
  if (!/not verified/i.test(message)) return false;
  const [text, address] = [message.toLowerCase(), from.address.toLowerCase()];
  const identities = text.slice(text.lastIndexOf(':') + 1).split(/[\s,<>]+/);
  return identities.includes(address) || identities.includes(address.slice(address.lastIndexOf('@') + 1));
}

/** The name of the error, without the namespace and the address that AWS may add. */
function errorOf(response: ProviderResponse): string {
  const fields = bodyFields(response.body);
  const named = headerOf(response, 'x-amzn-errortype') ?? fields.__type ?? fields.code;
  return typeof named === 'string' ? (/^(?:[^:]*#)?([A-Za-z]{1,100})/.exec(named.trim())?.[1] ?? '') : '';
}

function messageOf(response: ProviderResponse): string {
  const { message, Message } = bodyFields(response.body);
  const text = message ?? Message;
  return typeof text === 'string' ? text : '';
}
