import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpRefusal } from '../../platform/smtp-server/smtp-refusal.js';
import type { BodyReservation } from '../../platform/http/body-budget.js';

/**
 * Reads a message to its end, as the protocol demands, but keeps no byte of one that is refused.
 * @param reservation grows with the message
 * @returns undefined for a message that is too large, which the library refuses
 * @throws TooManyBodyBytesError, BodyShareExceededError, SmtpRefusal
 */
export async function collectMessage(
  stream: SMTPServerDataStream,
  reservation: BodyReservation,
): Promise<Buffer | undefined> {
  let chunks: Buffer[] | undefined = [];
  let refusal: unknown;
  const drop = (): void => {
    chunks = undefined;
    reservation.release();
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (stream.sizeExceeded) drop();
      if (!chunks) continue;
      try {
        reservation.grow(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refusal = error;
        drop();
      }
    }
  } catch {
    throw new SmtpRefusal(421, '4.4.2 The connection ended before the message');
  }
  if (stream.sizeExceeded) return undefined;
  if (refusal) throw refusal;
  return Buffer.concat(chunks);
}
