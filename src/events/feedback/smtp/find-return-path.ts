import { readReturnPath, type ReturnPath } from '../../../links/return-path.js';
import type { SigningKeys } from '../../../links/signing-keys.js';
import type { MailMessage } from './mail-message.js';
import { feedbackIn } from './read-notification.js';

/** Fields in which mail servers keep the envelope recipient of a message that they pass to a program, best first. */
const RECIPIENT_FIELDS = ['delivered-to', 'x-original-to', 'to'];
/**
 * Fields of a returned message with the envelope sender: the receiving server adds one (RFC 5321, 4.4), and so do we.
 */
const SENDER_FIELD = /^(?:return-path|x-mailbeacon-return-path)[ \t]*:[ \t\r\n]*<?([^\s<>]{1,320})/gim;
const ADDRESS = /[^\s<>,;:"()]{1,64}@[^\s<>,;:"()]{1,255}/g;
const LONGEST_VALUE = 4_000;

/**
 * The return path of the email that a message is about, if there is no envelope: from its fields, or from its report.
 */
export function findReturnPath(keys: SigningKeys, domain: string, message: MailMessage): ReturnPath | undefined {
  const named = RECIPIENT_FIELDS.flatMap((name) => message.headers.get(name) ?? []).flatMap(addressesIn);
  return firstSigned(keys, domain, named) ?? findReportedReturnPath(keys, domain, message);
}

/**
 * The return path of the email that an abuse report is about. Some services hide the recipient, but not the return
 * path.
 */
export function findReportedReturnPath(
  keys: SigningKeys,
  domain: string,
  message: MailMessage,
): ReturnPath | undefined {
  const feedback = feedbackIn(message);
  if (feedback === undefined) return undefined;
  const returned = message.parts.filter(({ type }) => type === 'message/rfc822' || type === 'text/rfc822-headers');
  const senders = returned.flatMap(({ content }) =>
    Array.from(headerOf(content).matchAll(SENDER_FIELD), ([, address = '']) => address),
  );
  return firstSigned(keys, domain, [feedback.originalSender ?? '', ...senders]);
}

function addressesIn(value: string): string[] {
  return value.slice(0, LONGEST_VALUE).match(ADDRESS) ?? [];
}

function headerOf(content: string): string {
  return content.slice(0, 32 * 1024).split(/\r?\n\r?\n/, 1)[0] ?? '';
}

function firstSigned(keys: SigningKeys, domain: string, addresses: readonly string[]): ReturnPath | undefined {
  for (const address of addresses) {
    const path = readReturnPath(keys, address, domain);
    if (path) return path;
  }
  return undefined;
}
