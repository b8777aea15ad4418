import { randomBytes } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { OutgoingAttachment, OutgoingEmail } from '../provider.js';
import { wholeUnits } from '../http/whole-units.js';
import { isMessageType } from '../message-parts.js';
import { declareReport, toMailOptions } from '../smtp/smtp-message.js';

/** The message as text, except for the content of its attachments: those stand where it belongs, encoded. */
export type MimePieces = readonly (string | OutgoingAttachment)[];

/** A multiple of three, so that its base64 has no padding, and short enough for one line. */
const MARK_BYTES = 30;

/**
 * Composes the message as SMTP sends it. Attachments are composed with a random mark in place of their content, so that
 * they can be read while the message is written.
 */
export async function mimePiecesOf(email: OutgoingEmail): Promise<MimePieces> {
  const { attachments = [] } = email;
  const marks = attachments.map(() => randomBytes(MARK_BYTES).toString('base64'));
  const marked = attachments.map((attachment, index) => ({
    ...attachment,
    read: () => only(Buffer.from(marks[index]!, isMessageType(attachment.contentType) ? 'latin1' : 'base64')),
  }));
  const message = new MailComposer(toMailOptions({ ...email, returnPath: undefined, attachments: marked })).compile();
  declareReport(message, email);
  const composed = await message.build();
  // The text is valid UTF-8: bodies are encoded, and headers have no other bytes.
  const text = composed.toString('utf8');
  const places = marks
    .map((mark, index) => ({ mark, attachment: attachments[index]!, at: text.indexOf(mark) }))
    .sort((one, other) => one.at - other.at);
  const pieces: (string | OutgoingAttachment)[] = [];
  let end = 0;
  for (const { mark, attachment, at } of places) {
    if (at < end) throw new Error('An attachment has no place in the message');
    pieces.push(text.slice(end, at), attachment);
    end = at + mark.length;
  }
  return [...pieces, text.slice(end)];
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield bytes;
}

const LINE_BYTES = 57;
/** Of base64, as many as an encoded line may have (RFC 2045, 6.8). */
const LINE_CHARACTERS = /.{76}/g;

/** The length of `encodedOf` in bytes. */
export function encodedLengthOf({ size, contentType }: OutgoingAttachment): number {
  if (isMessageType(contentType)) return size;
  return 4 * Math.ceil(size / 3) + 2 * Math.floor(size / LINE_BYTES);
}

/** The content in base64, with a line end after each full line; that of a message type, which is 7-bit, as it is. */
export async function* encodedOf({ read, contentType }: OutgoingAttachment): AsyncGenerator<string> {
  if (isMessageType(contentType)) {
    for await (const bytes of read()) yield bytes.toString('latin1');
    return;
  }
  for await (const lines of wholeUnits(read(), LINE_BYTES)) {
    const text = lines.toString('base64');
    // A line that is not full is the last one, and has no end.
    yield lines.length < LINE_BYTES ? text : text.replace(LINE_CHARACTERS, '$&\r\n');
  }
}
