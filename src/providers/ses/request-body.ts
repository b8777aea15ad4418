import { createHash } from 'node:crypto';
import type { RequestBody } from '../http/http-exchange.js';
import { onlyRecipientOf } from '../only-recipient.js';
import { UnreadableAttachmentError, type OutgoingEmail } from '../provider.js';
import type { MessageReader } from './ses-message.js';

/** A body of POST /v2/email/outbound-emails, and its SHA-256 in hexadecimal, which the signature needs. */
export interface HashedBody extends Omit<RequestBody, 'headers'> {
  readonly hash: string;
}

const END = '"}}}';

/**
 * Creates the body. A message with attachments is read twice, for the hash and while it is written, so that it is
 * never in memory whole.
 * @throws UnreadableAttachmentError
 */
export async function sesRequestBody(
  email: OutgoingEmail,
  read: MessageReader,
  configurationSet: string | undefined,
): Promise<HashedBody> {
  const start = startOf(email, configurationSet);
  if (!email.attachments?.length) {
    const pieces: string[] = [];
    for await (const piece of read()) pieces.push(piece);
    const end = start + pieces.join('') + END;
    return { end, length: Buffer.byteLength(end), hash: bodyHashOf(end) };
  }
  const hash = createHash('sha256').update(start);
  let characters = 0;
  for await (const piece of read()) {
    hash.update(piece, 'latin1');
    characters += piece.length;
  }
  const length = Buffer.byteLength(start) + characters + END.length;
  return { head: headOf(start, read, characters), end: END, length, hash: hash.update(END).digest('hex') };
}

/** In hexadecimal. */
export function bodyHashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function* headOf(start: string, read: MessageReader, characters: number): AsyncGenerator<string> {
  yield start;
  let left = characters;
  for await (const piece of read()) {
    left -= piece.length;
    if (left < 0) break;
    yield piece;
  }
  if (left !== 0) throw new UnreadableAttachmentError();
}

/**
 * Everything before the message. SES delivers to the addresses of Destination and shows the headers of the message,
 * so hidden recipients stay hidden. Tags come back in events. Their values may have letters, digits, - and _ only,
 * which excludes a Message-ID and an address.
 */
function startOf(email: OutgoingEmail, configurationSet?: string): string {
  const { emailId, attempt, envelopeRecipients } = email;
  const recipient = onlyRecipientOf(email);
  const fields = JSON.stringify({
    ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
    Destination: { ToAddresses: uniqueOf(envelopeRecipients) },
    EmailTags: [
      { Name: 'mailbeacon_email_id', Value: emailId },
      { Name: 'mailbeacon_attempt', Value: String(attempt) },
      ...(recipient === undefined ? [] : [{ Name: 'mailbeacon_recipient', Value: String(recipient) }]),
    ],
  });
  return `${fields.slice(0, -1)},"Content":{"Raw":{"Data":"`;
}

function uniqueOf(addresses: readonly string[]): string[] {
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
}
