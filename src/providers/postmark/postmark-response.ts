import { STATUS_CODES } from 'node:http';
import { readableAcceptance, readableReason } from '../failure-reason.js';
import type { RecipientResult } from '../hand-over-result.js';
import { DEFAULT_PAUSE_MS, bodyFields, requestedPauseMs, type ProviderResponse } from '../http/provider-response.js';
import type { DeliveryOutcome } from '../provider.js';

/** The message that a result of Postmark is about: its recipients and its Message-ID. */
export interface SentPostmarkMessage {
  readonly recipients: readonly string[];
  readonly messageId: string;
}

/** About the token, its account, or the message stream, which is set with the token. */
const CREDENTIAL_CODES = new Set([
  10, // no valid token
  405, // the account is out of credits
  413, // the account may not send; as a status, 413 means a message that is too large
  422, // invalid server or account
  1221, // the stream is of a type that does not send
  1226, // the stream was not found
  1235, // the stream does not exist
  1236, // the stream is not for sending
  1480, // the token does not allow this IP address
]);
/** The address of From is no sender of the account, or not confirmed. */
const SENDER_CODES = new Set([400, 401]);
const INVALID = 300;
const INACTIVE = 406;
const ABOUT_SENDER = /^(Invalid|Error parsing) '?From'?/i;
/**
 * At the end of the message with 406, and of one that was accepted for other recipients. Addresses are in lower case.
 */
const INACTIVE_ADDRESSES = /\binactive addresses:([^\r\n]*)/i;

/** Maps the response to a call with one message to an outcome. `now` is in milliseconds since the epoch. */
export function postmarkOutcome(response: ProviderResponse, sent: SentPostmarkMessage, now: number): DeliveryOutcome {
  const { status, body } = response;
  return status >= 200 && status < 300 ? outcomeOfResult(status, body, sent) : outcomeOfFailure(response, sent, now);
}

/**
 * Maps the result of one message; the response to a batch has one for each. Without a code, the message was accepted.
 */
export function outcomeOfResult(status: number, result: unknown, sent: SentPostmarkMessage): DeliveryOutcome {
  const code = codeOf(result);
  if (code > 0) return outcomeOfCode(code, reasonOf(status, result), result, sent);
  const { MessageID: id } = bodyFields(result);
  const known = typeof id === 'string' && id !== '' ? id.slice(0, 200) : undefined;
  const words = messageOf(result) || (known === undefined ? '' : `message ID ${known}`);
  const response = readableAcceptance(`Postmark responded with ${status}${words && `: ${words}`}`);
  const recipients = resultsOf(result, sent);
  const isPartial = recipients.some(({ state }) => state === 'refused');
  return { kind: 'accepted', providerId: known ?? sent.messageId, response, ...(isPartial && { recipients }) };
}

/**
 * Only 503, a planned outage, guarantees that Postmark did not accept the message. With 500, 408 or a gateway error, it
 * may have.
 */
function outcomeOfFailure(response: ProviderResponse, sent: SentPostmarkMessage, now: number): DeliveryOutcome {
  const { status, body, isCut } = response;
  const reason = reasonOf(status, body);
  if (status === 429)
    return { kind: 'throttled', reason, pauseMs: requestedPauseMs(response, now) ?? DEFAULT_PAUSE_MS };
  if (status === 503) {
    const afterMs = requestedPauseMs(response, now);
    return { kind: 'retry', reason, ...(afterMs !== undefined && { afterMs }) };
  }
  if (status >= 500 || status === 408) return { kind: 'ambiguous', reason };
  // Not followed, because a redirect would send the token to another host. Usually POSTMARK_API_URL is wrong.
  if (status < 400) return { kind: 'retry', reason };
  if (status === 401 || status === 402) return { kind: 'credential-refused', reason };
  // What was not read may be about the token or about this message only.
  if (isCut) return { kind: 'retry', reason };
  const code = codeOf(body);
  if (code > 0) return outcomeOfCode(code, reason, body, sent);
  // Not from the API: a wrong address, or a network in front of it, which may object to anything.
  if (status === 404 || status === 405) return { kind: 'credential-refused', reason };
  return { kind: status === 403 ? 'retry' : 'refused', reason };
}

/**
 * 412 refuses only this message: while an account waits for its approval, it may send to the domain of the sender. Mail
 * of one tenant must not hold that of others.
 */
function outcomeOfCode(code: number, reason: string, result: unknown, sent: SentPostmarkMessage): DeliveryOutcome {
  if (CREDENTIAL_CODES.has(code)) return { kind: 'credential-refused', reason };
  if (code === 100) return { kind: 'retry', reason };
  if (code === 101) return { kind: 'ambiguous', reason };
  if (code === 429) return { kind: 'throttled', reason, pauseMs: DEFAULT_PAUSE_MS };
  if (code === INACTIVE) {
    // Postmark refuses a message as inactive only if all its recipients are.
    const recipients = sent.recipients.map((address): RecipientResult => ({ address, state: 'refused', reason }));
    return { kind: 'refused', reason, recipients };
  }
  const isAboutSender = SENDER_CODES.has(code) || (code === INVALID && ABOUT_SENDER.test(messageOf(result)));
  return { kind: 'refused', reason, ...(isAboutSender && { about: 'sender' }) };
}

/** Postmark accepts a message for the recipients who are active, and lists the others in its sentence. */
function resultsOf(result: unknown, { recipients }: SentPostmarkMessage): RecipientResult[] {
  const [, line = ''] = INACTIVE_ADDRESSES.exec(messageOf(result)) ?? [];
  const list = line
    .split(/Inactive recipients/i, 1)[0]!
    .trim()
    .replace(/\.$/, '');
  const inactive = new Set(list.split(',').map((address) => address.trim().toLowerCase()));
  const reason = 'Postmark does not deliver to this address, because it is on its suppression list';
  return recipients.map((address) =>
    inactive.has(address.toLowerCase()) ? { address, state: 'refused', reason } : { address, state: 'accepted' },
  );
}

function reasonOf(status: number, result: unknown): string {
  return readableReason(`Postmark responded with ${status}: ${explanation(status, result)}`);
}

/** The sentence of the API with its code, or else the standard text of the status. */
function explanation(status: number, result: unknown): string {
  const [code, message] = [codeOf(result), messageOf(result)];
  if (code > 0) return `${message || 'error'} (code ${code})`;
  return message || (STATUS_CODES[status] ?? 'unknown status');
}

function codeOf(result: unknown): number {
  const { ErrorCode: code } = bodyFields(result);
  return typeof code === 'number' ? code : 0;
}

function messageOf(result: unknown): string {
  const { Message: message } = bodyFields(result);
  return typeof message === 'string' ? message.trim() : '';
}
