import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyReservation } from './body-budget.js';
import { ANY_LENGTH_DEADLINES, BodyWatch, LARGE_BODY_DEADLINES, type BodyDeadlines } from './body-deadlines.js';
import { BodyTooLargeError, bodyLimitOf, MAX_RECIPIENT_VALUES, RECIPIENTS_BODY_BYTES } from './body-limits.js';
import { InvalidBodyError } from './invalid-body-error.js';
import { refuseMediaType } from './refused-media-type.js';
import { exemptFromRequestTimeout } from './request-timeout.js';
import { addRouteConfig } from './route-config.js';

type StreamedType = 'text/csv' | 'application/x-ndjson';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler reads bodies of these types while they arrive. */
    streams?: readonly StreamedType[];
    /** Such a body may have any length; a JSON body of the same route has the limit of the route. */
    streamsAnyLength?: boolean;
  }
}

const MEGABYTE = 1024 * 1024;
const MAX_CSV_BYTES = 100 * MEGABYTE;
/** Memory that a streamed body uses at any time, regardless of its length. */
const STREAM_BYTES = 2 * MEGABYTE;
/** For routes whose body is a CSV file. The handler gets it from `streamedBodyOf`. */
export const TakesCsv = (): MethodDecorator => addRouteConfig({ maxBodyBytes: MAX_CSV_BYTES, streams: ['text/csv'] });

/** For routes whose body is JSON with many recipients, or a stream of any length as NDJSON or CSV. */
export const TakesRecipients = (): MethodDecorator =>
  addRouteConfig({
    maxBodyBytes: RECIPIENTS_BODY_BYTES,
    maxJsonValues: MAX_RECIPIENT_VALUES,
    streams: ['text/csv', 'application/x-ndjson'],
    streamsAnyLength: true,
  });

const deadlinesOf = new WeakMap<FastifyRequest, BodyDeadlines>();

/**
 * Lets routes read a body while it arrives. Other routes refuse the content type.
 * @param ofAnyLength deadlines of bodies that may have any length
 */
export function acceptStreamedBodies(
  fastify: FastifyInstance,
  reserve: (request: FastifyRequest) => BodyReservation,
  ofAnyLength = ANY_LENGTH_DEADLINES,
): void {
  const reservations = new WeakMap<FastifyRequest, BodyReservation>();
  const accept = (type: StreamedType, pattern: RegExp): void => {
    fastify.addContentTypeParser(pattern, async (request: FastifyRequest, stream: Readable) => {
      if (!request.routeOptions.config.streams?.includes(type)) return refuseMediaType(request);
      const reservation = reserve(request);
      reservations.set(request, reservation);
      reservation.grow(STREAM_BYTES);
      deadlinesOf.set(request, request.routeOptions.config.streamsAnyLength ? ofAnyLength : LARGE_BODY_DEADLINES);
      exemptFromRequestTimeout(request.raw);
      return stream;
    });
  };
  accept('text/csv', /^text\/csv(;|$)/);
  accept('application/x-ndjson', /^application\/x-ndjson(;|$)/);
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const reservation = reservations.get(request);
    reservation?.release();
    if (reservation && !request.raw.complete) {
      // What a refused client still sends is discarded, but not for long: see `lingerOnClose`.
      void reply.header('connection', 'close');
      request.raw.on('error', () => undefined).resume();
    }
    done();
  });
}

/**
 * The body of a request to a route that streams, in pieces.
 * @throws BodyTooLargeError, BodyTooSlowError, InvalidBodyError while it is read
 */
export async function* streamedBodyOf(request: FastifyRequest): AsyncGenerator<Buffer> {
  const stream = request.body as Readable | null | undefined;
  if (!stream) throw new InvalidBodyError('The body must not be empty');
  const limit = request.routeOptions.config.streamsAnyLength ? Infinity : bodyLimitOf(request);
  const tooSlow = new AbortController();
  const watch = new BodyWatch(deadlinesOf.get(request)!, (error) => tooSlow.abort(error));
  let size = 0;
  try {
    for (;;) {
      watch.wait();
      const piece = await nextPiece(stream, tooSlow.signal);
      watch.rest();
      if (piece === undefined) return;
      size += piece.length;
      if (size > limit) throw new BodyTooLargeError(limit);
      yield piece;
    }
  } finally {
    watch.stop();
  }
}

/** Undefined at the end of the stream. */
function nextPiece(stream: Readable, tooSlow: AbortSignal): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      const piece = tooSlow.aborted ? null : (stream.read() as Buffer | null);
      if (piece === null && !stream.readableEnded && !stream.destroyed && !tooSlow.aborted) return;
      stream.off('readable', settle).off('end', settle).off('close', settle).off('error', settle);
      tooSlow.removeEventListener('abort', settle);
      if (tooSlow.aborted) reject(tooSlow.reason as Error);
      else if (piece !== null || stream.readableEnded) resolve(piece ?? undefined);
      // Do not pass the stream's own error on: its code, ECONNRESET, would pass for a lost connection to Postgres.
      else reject(new InvalidBodyError('The body is incomplete'));
    };
    stream.on('readable', settle).on('end', settle).on('close', settle).on('error', settle);
    tooSlow.addEventListener('abort', settle);
    settle();
  });
}
