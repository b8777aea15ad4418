import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import { UnreadableAttachmentError, type OutgoingEmail } from '../provider.js';
import { declareReport, toMailOptions } from '../smtp/smtp-message.js';
import { SplicedContent } from '../smtp/spliced-content/spliced-content.js';

/** Bytes per piece: a multiple of three, so that each piece in base64 is complete. */
const PIECE_BYTES = 48 * 1024;

/**
 * Reads the whole message of an email in base64, in pieces. A second reading yields the same characters.
 * @throws UnreadableAttachmentError
 */
export type MessageReader = () => AsyncIterable<string>;

/** Composes messages as for SMTP. SES keeps all their headers except Message-ID and Date, which it replaces. */
export class SesMessages {
  private readonly spliced = new SplicedContent();

  readerOf(outgoing: OutgoingEmail): MessageReader {
    // SES sets its own envelope sender, so no return path of ours comes back.
    const email: Omit<OutgoingEmail, 'returnPath'> & { returnPath?: string } = { ...outgoing };
    delete email.returnPath;
    const raw = this.spliced.compose(email);
    return raw === undefined ? () => base64Of(contentOf(email)) : () => base64Of([Buffer.from(raw)]);
  }
}

async function* contentOf(email: OutgoingEmail): AsyncGenerator<Buffer> {
  // Nodemailer's own boundary would differ between two readings.
  const baseBoundary = createHash('sha256').update(email.emailId).digest('hex').slice(0, 32);
  const message = new MailComposer({ ...toMailOptions(email), baseBoundary } as ComposerOptions).compile();
  declareReport(message, email);
  try {
    for await (const chunk of message.createReadStream() as Readable) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof UnreadableAttachmentError ? error : new UnreadableAttachmentError({ cause: error });
  }
}

type ComposerOptions = ConstructorParameters<typeof MailComposer>[0];

async function* base64Of(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<string> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    const joined = Buffer.concat(waiting);
    const whole = bytes - (bytes % 3);
    yield joined.toString('base64', 0, whole);
    waiting = [joined.subarray(whole)];
    bytes -= whole;
  }
  yield Buffer.concat(waiting).toString('base64');
}
