import type { Readable } from 'node:stream';
import type { BodyReservation } from './body-budget.js';
import { BodyTooLargeError } from './body-limits.js';
import { InvalidBodyError } from './invalid-body-error.js';

/**
 * Reads a body, reserving its bytes as they arrive: what was only announced holds nothing, so that nobody can keep
 * others out with requests that never end. What follows a refusal is read and dropped.
 * @param limit in bytes
 * @throws BodyTooLargeError, TooManyBodyBytesError, BodyShareExceededError, InvalidBodyError when the client goes away
 */
export function readBody(stream: Readable, limit: number, reservation: BodyReservation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: Error): void => {
      stream.off('data', onData).off('end', onEnd).off('error', onAbort);
      // Errors of a connection whose request has been refused concern nobody.
      stream.on('error', ignore);
      stream.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) return stop(new BodyTooLargeError(limit));
      try {
        reservation.grow(chunk.length);
      } catch (error) {
        return stop(error as Error);
      }
      chunks.push(chunk);
    };
    // Its code is that of any lost connection, one to Postgres included.
    const onAbort = (): void => stop(new InvalidBodyError('The body did not arrive whole'));
    const onEnd = (): void => resolve(Buffer.concat(chunks, size));
    stream.on('data', onData).on('end', onEnd).on('error', onAbort);
  });
}

function ignore(): void {}
