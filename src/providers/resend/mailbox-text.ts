import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { Mailbox } from '../provider.js';

/** Words that need neither quotes nor encoding in a header. */
const PLAIN_NAME = /^[A-Za-z0-9 _'-]+$/;
/** Characters that have a meaning in an address (RFC 5322, 3.2.3), except the full stop. `=` begins an encoded word. */
const SPECIAL = /[\s()<>[\]:;@\\,"=]+/g;
const WORD_LENGTH = 52;

/**
 * A recipient or a reply address. Resend refuses names in quotes, so a name with other characters becomes encoded words
 * (RFC 2047), which it passes on.
 */
export function recipientText({ address, name }: Mailbox): string {
  if (!name) return address;
  return `${PLAIN_NAME.test(name) ? name : encodeWord(name, 'Q', WORD_LENGTH)} <${address}>`;
}

/** The sender. Resend refuses quotes and encoded words here. It takes Unicode, without the characters of addresses. */
export function senderText({ address, name = '' }: Mailbox): string {
  const words = name.replace(SPECIAL, ' ').trim();
  return words === '' ? address : `${words} <${address}>`;
}
