import { randomBytes } from 'node:crypto';
import type { RequestBody } from '../http/http-exchange.js';
import type { OutgoingEmail } from '../provider.js';
import { encodedLengthOf, encodedOf, mimePiecesOf, type MimePieces } from './mime-pieces.js';

/**
 * The body of POST /v3/{domain}/messages.mime, a form (RFC 7578).
 *
 * Not /messages, which composes the message itself: there `to` and `cc` are both headers and envelope, so a message to
 * the recipients who are left would not show the others, and several hidden recipients would see one another. It names
 * inline images by their file names instead of content IDs, and limits all headers together to 16 KB. With
 * /messages.mime, the message arrives as we compose it, with its Message-ID, and `to` is only the envelope.
 */
export async function mailgunRequestBody(email: OutgoingEmail): Promise<RequestBody> {
  const boundary = `mailbeacon-${randomBytes(16).toString('hex')}`;
  const fields = formFields(email).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="message"; filename="message.mime"\r\nContent-Type: message/rfc822\r\n\r\n`;
  const message = await mimePiecesOf(email);
  const pieces: MimePieces = [fields.join('') + file, ...message, `\r\n--${boundary}--\r\n`];
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  if (pieces.every((piece) => typeof piece === 'string')) return { length, headers, end: pieces.join('') };
  return { length, headers, head: written(pieces.slice(0, -1)), end: pieces.at(-1) as string };
}

/**
 * Mailgun's tracking is off, because rewriting links and pixel twice would break both. Its events return the variables,
 * whose names begin with `v:`.
 */
function formFields({ envelopeRecipients, emailId, attempt, messageId }: OutgoingEmail): [string, string][] {
  return [
    ['to', [...new Set(envelopeRecipients)].join(',')],
    ['o:tracking', 'no'],
    ['o:tracking-clicks', 'no'],
    ['o:tracking-opens', 'no'],
    ['v:mailbeacon_email_id', emailId],
    ['v:mailbeacon_attempt', String(attempt)],
    ['v:mailbeacon_message_id', messageId],
  ];
}

function lengthOf(piece: MimePieces[number]): number {
  return typeof piece === 'string' ? Buffer.byteLength(piece) : encodedLengthOf(piece);
}

async function* written(pieces: MimePieces): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else yield* encodedOf(piece);
  }
}
