import { randomBytes } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { OutgoingAttachment, OutgoingEmail } from '../provider.js';
import { wholeUnits } from '../http/whole-units.js';
import { toMailOptions } from '../smtp/smtp-message.js';

/** The message as text, except for the content of its attachments: those stand where their base64 belongs. */
export type MimePieces = readonly (string | OutgoingAttachment)[];

/** A multiple of three, so that its base64 has no padding, and short enough for one line. */
const MARK_BYTES = 30;

/**
 * Composes the message as SMTP sends it. Attachments are composed with a random mark in place of their content, so that
 * they can be read while the message is written.
 */
export async function mimePiecesOf(email: OutgoingEmail): Promise<MimePieces> {
  const { attachments = [] } = email;
  const marks = attachments.map(() => randomBytes(MARK_BYTES));
  const marked = attachments.map((attachment, index) => ({ ...attachment, read: () => only(marks[index]!) }));
  const composed = await new MailComposer(toMailOptions({ ...email, returnPath: undefined, attachments: marked }))
    .compile()
    .build();
  // The text is valid UTF-8: bodies are encoded, and headers have no other bytes.
  const text = composed.toString('utf8');
  const places = marks
    .map((mark, index) => ({ mark: mark.toString('base64'), attachment: attachments[index]! }))
    .map((place) => ({ ...place, at: text.indexOf(place.mark) }))
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

/** The length of `base64Of` in bytes. */
export function base64LengthOf({ size }: OutgoingAttachment): number {
  return 4 * Math.ceil(size / 3) + 2 * Math.floor(size / LINE_BYTES);
}

/** The content in base64, with a line end after each full line. */
export async function* base64Of({ read }: OutgoingAttachment): AsyncGenerator<string> {
  for await (const lines of wholeUnits(read(), LINE_BYTES)) {
    const text = lines.toString('base64');
    // A line that is not full is the last one, and has no end.
    yield lines.length < LINE_BYTES ? text : text.replace(LINE_CHARACTERS, '$&\r\n');
  }
}
