import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { BodyReservation } from './body-budget.js';
import { BodyTooLargeError, bodyLimitOf } from './body-limits.js';
import { InvalidBodyError } from './invalid-body-error.js';
import { exemptFromRequestTimeout } from './request-timeout.js';
import { addRouteConfig } from './route-config.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler reads the body while it arrives, as text/csv. */
    streamsCsv?: boolean;
  }
}

const MEGABYTE = 1024 * 1024;
const MAX_CSV_BYTES = 100 * MEGABYTE;
/** What a body that is handled while it arrives holds at once, however long it is. */
const STREAM_BYTES = 2 * MEGABYTE;
/** How long the client may send nothing. */
const STALL_MS = 25_000;
/** How long the whole body may take. */
const TOTAL_MS = 10 * 60_000;

/** For routes whose body is a CSV file. The handler gets it from `csvBodyOf`. */
export const TakesCsv = (): MethodDecorator => addRouteConfig({ maxBodyBytes: MAX_CSV_BYTES, streamsCsv: true });

/** Lets routes with `TakesCsv` read their body while it arrives. Other routes refuse the content type. */
export function acceptCsvBodies(fastify: FastifyInstance, reserve: (request: FastifyRequest) => BodyReservation): void {
  const reservations = new WeakMap<FastifyRequest, BodyReservation>();
  fastify.addContentTypeParser(/^text\/csv(;|$)/, async (request: FastifyRequest, stream: Readable) => {
    if (!request.routeOptions.config.streamsCsv) throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/csv');
    const reservation = reserve(request);
    reservations.set(request, reservation);
    reservation.grow(STREAM_BYTES);
    exemptFromRequestTimeout(request.raw);
    return stream;
  });
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    const reservation = reservations.get(request);
    reservation?.release();
    if (reservation) discardRest(request.raw);
    done();
  });
}

/**
 * The body of a request to a route with `TakesCsv`, in pieces. A client that stops sending is disconnected.
 * @throws BodyTooLargeError, InvalidBodyError while it is read
 */
export async function* csvBodyOf(request: FastifyRequest): AsyncGenerator<Buffer> {
  const stream = request.body as Readable | null | undefined;
  if (!stream) throw new InvalidBodyError('The body must be a CSV file');
  const limit = bodyLimitOf(request);
  const overdue = setTimeout(() => stream.destroy(), TOTAL_MS);
  let size = 0;
  try {
    for (;;) {
      const stalled = setTimeout(() => stream.destroy(), STALL_MS);
      const piece = await nextPiece(stream).finally(() => clearTimeout(stalled));
      if (piece === undefined) return;
      size += piece.length;
      if (size > limit) throw new BodyTooLargeError(limit);
      yield piece;
    }
  } finally {
    clearTimeout(overdue);
  }
}

/** Undefined at the end of the stream. */
function nextPiece(stream: Readable): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      const piece = stream.read() as Buffer | null;
      if (piece === null && !stream.readableEnded && !stream.destroyed) return;
      stream.off('readable', settle).off('end', settle).off('close', settle).off('error', settle);
      if (piece !== null || stream.readableEnded) resolve(piece ?? undefined);
      // Do not pass the stream's own error on: its code, ECONNRESET, would pass for a lost connection to Postgres.
      else reject(new InvalidBodyError('The body is incomplete'));
    };
    stream.on('readable', settle).on('end', settle).on('close', settle).on('error', settle);
    settle();
  });
}

/** Reads what a refused client still sends, so that it can read the response, but not for long. */
function discardRest(stream: Readable): void {
  if (stream.readableEnded || stream.destroyed) return;
  const cut = setTimeout(() => stream.destroy(), STALL_MS).unref();
  stream.on('error', () => undefined);
  stream.once('close', () => clearTimeout(cut)).resume();
}
