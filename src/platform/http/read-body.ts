import type { Readable } from 'node:stream';
import type { BodyReservation } from './body-budget.js';
import { BodyWatch, type BodyDeadlines } from './body-deadlines.js';
import { BodyTooLargeError } from './body-limits.js';
import { InvalidBodyError } from './invalid-body-error.js';

const INCOMPLETE = 'The body is incomplete';

/** A body as it arrived. */
export interface ReadBody {
  readonly chunks: readonly Buffer[];
  /** In bytes. */
  readonly size: number;
}

/**
 * Reads a body and reserves its bytes as they arrive. Content-Length alone reserves nothing, so requests that never
 * finish cannot exhaust the budget. After a refusal, the rest of the body is read and discarded.
 * @param limit in bytes
 * @param deadlines for a body without a request timeout
 * @throws BodyTooLargeError, TooManyBodyBytesError, BodyShareExceededError, BodyTooSlowError, InvalidBodyError on a
 *   disconnect
 */
export function readBody(
  stream: Readable,
  limit: number,
  reservation: BodyReservation,
  deadlines?: BodyDeadlines,
): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    // It emits nothing any more: the client left while its key was checked.
    if (stream.destroyed) return reject(new InvalidBodyError(INCOMPLETE));
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: Error): void => {
      watch?.stop();
      stream.off('data', onData).off('end', onEnd).off('error', onAbort);
      // The request is already refused, so later connection errors are irrelevant.
      stream.on('error', ignore);
      stream.resume();
      reject(error);
    };
    const watch = deadlines && new BodyWatch(deadlines, stop);
    watch?.wait();
    const onData = (chunk: Buffer): void => {
      watch?.wait();
      size += chunk.length;
      if (size > limit) return stop(new BodyTooLargeError(limit));
      try {
        reservation.grow(chunk.length);
      } catch (error) {
        return stop(error as Error);
      }
      chunks.push(chunk);
    };
    // Do not rethrow: its code, ECONNRESET, would pass for a lost connection to Postgres.
    const onAbort = (): void => stop(new InvalidBodyError(INCOMPLETE));
    const onEnd = (): void => {
      watch?.stop();
      resolve({ chunks, size });
    };
    stream.on('data', onData).on('end', onEnd).on('error', onAbort);
  });
}

function ignore(): void {}
