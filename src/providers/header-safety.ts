import type { DeliveryOutcome, OutgoingAttachment, OutgoingEmail } from './provider.js';

/** Control characters except tab, line and paragraph separators, lone surrogates (RFC 5322, 2.2 and 3.2.5). */
const NOT_FOR_HEADERS = /[^\P{Cc}\t]|[\p{Cs}\u2028\u2029]/u;
/** A bare addr-spec without quoting, comments or address literals (RFC 5321, 4.1.2), so parsers cannot disagree. */
const BARE_ADDRESS = /^[^\s\p{Cc}\p{Cs}<>()[\]\\,;:"@]+@[^\s\p{Cc}\p{Cs}<>()[\]\\,;:"@]+$/u;
/** RFC 5321, 4.5.3.1: 64 octets of local part, the @, and 255 octets of domain. */
const LONGEST_ADDRESS = 320;
/** With an @ that is neither first nor last, as SMTP submission accepts it: others may be anywhere. */
const BARE_MESSAGE_ID = /^[\x21-\x3b\x3d\x3f-\x7e][\x21-\x3b\x3d\x3f\x41-\x7e]*@[\x21-\x3b\x3d\x3f-\x7e]+$/;
/** Without the angle brackets that enclose it in a header (RFC 2369, 2). */
const BARE_URL = /^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]+$/;
const PRINTABLE = /^[\x20-\x7e]+$/;
/** The characters of a line (RFC 5322, 2.1.1), which can end at a blank only. */
const LONGEST_WORD = 998;
const OWN_NAME = /^[A-Za-z0-9_-]{1,76}$/;
/** Without the angle brackets that enclose it in a header (RFC 2392). */
const BARE_CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/;
const BARE_ID = /^[\x21-\x7e]{1,200}$/;

/**
 * Returns the first field that is unsafe to send, or undefined when all are safe. Requests are validated on acceptance;
 * this is the last line of defense, independent of the stored data.
 */
export function findUnsafeField(email: OutgoingEmail): string | undefined {
  if (!BARE_ID.test(email.emailId)) return 'emailId';
  if (!BARE_MESSAGE_ID.test(email.messageId)) return 'messageId';
  if (NOT_FOR_HEADERS.test(email.subject)) return 'subject';
  if (email.unsubscribeUrl !== undefined && !BARE_URL.test(email.unsubscribeUrl)) return 'unsubscribeUrl';
  const own = Object.entries(email.headers ?? {});
  if (!own.every(([name, value]) => OWN_NAME.test(name) && isFoldable(value))) return 'headers';
  if (!(email.attachments ?? []).every(isSafeAttachment)) return 'attachments';
  const { from, replyTo, to, cc, bcc, envelopeRecipients } = email;
  const mailboxes = Object.entries({ from: [from], replyTo: replyTo ? [replyTo] : [], to, cc, bcc });
  for (const [field, list] of mailboxes) {
    if (list.some(({ name }) => name !== undefined && NOT_FOR_HEADERS.test(name))) return field;
    if (!list.every(({ address }) => isBareAddress(address))) return field;
  }
  if (email.returnPath !== undefined && !isBareAddress(email.returnPath)) return 'returnPath';
  return envelopeRecipients.every(isBareAddress) ? undefined : 'envelopeRecipients';
}

/** The outcome of an email with an unsafe field; undefined when all fields are safe. */
export function refusalOfUnsafe(email: OutgoingEmail): DeliveryOutcome | undefined {
  const unsafe = findUnsafeField(email);
  return unsafe === undefined
    ? undefined
    : { kind: 'refused', reason: `${unsafe} contains characters that are not allowed in email` };
}

function isSafeAttachment({ filename, contentType, contentId }: OutgoingAttachment): boolean {
  if (NOT_FOR_HEADERS.test(filename) || !isFoldable(contentType)) return false;
  return contentId === null || BARE_CONTENT_ID.test(contentId);
}

function isFoldable(value: string): boolean {
  return PRINTABLE.test(value) && value.split(' ').every((word) => word.length <= LONGEST_WORD);
}

function isBareAddress(address: string): boolean {
  return address.length <= LONGEST_ADDRESS && BARE_ADDRESS.test(address);
}
