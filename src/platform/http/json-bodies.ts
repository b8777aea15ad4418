import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EventLoopTurns } from '../clock/event-loop-turns.js';
import type { BodyReservation } from './body-budget.js';
import { LARGE_BODY_DEADLINES } from './body-deadlines.js';
import { BodyTooLargeError, BYTES_PER_VALUE, bodyLimitOf, valueLimitOf } from './body-limits.js';
import { InvalidBodyError } from './invalid-body-error.js';
import { jsonProblem } from './json-problem.js';
import { countJsonValues } from './json-structure.js';
import { readBody, type ReadBody } from './read-body.js';
import { mediaTypesOf, refuseMediaType, UnsupportedBodyError } from './refused-media-type.js';
import { exemptFromRequestTimeout } from './request-timeout.js';

/**
 * Joining, parsing and checking a longer body blocks the event loop for up to a tenth of a second. Several that end
 * together would make every other request wait for all of them, so they take turns. In bytes.
 */
const LARGE_BYTES = 256 * 1024;

const JSON_TYPE = /^application\/([\w.-]+\+)?json(;|$)/;

const reservations = new WeakMap<FastifyRequest, BodyReservation>();

/**
 * Reads and parses JSON bodies in UTF-8. Runs after the request check, so an unauthenticated request has no body read.
 * Bounds the cost of a body before it parses the body. A route with `rawBody` gets the bytes instead.
 * @param reserve opens a reservation in the share of the budget that a request's body uses
 * @param deadlines of large bodies, which need more time than the request timeout allows
 */
export function acceptJsonBodies(
  fastify: FastifyInstance,
  reserve: (request: FastifyRequest) => BodyReservation,
  deadlines = LARGE_BODY_DEADLINES,
): void {
  refuseEarly(fastify);
  const readReserved = async (
    request: FastifyRequest,
    stream: Readable,
  ): Promise<{ reservation: BodyReservation; body: ReadBody }> => {
    const reservation = reserve(request);
    reservations.set(request, reservation);
    // The client of a raw body is known only after the body.
    const { maxBodyBytes, rawBody } = request.routeOptions.config;
    const isLarge = maxBodyBytes !== undefined && rawBody === undefined;
    if (isLarge) exemptFromRequestTimeout(request.raw);
    return {
      reservation,
      body: await readBody(stream, bodyLimitOf(request), reservation, isLarge ? deadlines : undefined),
    };
  };
  const turns = new EventLoopTurns();
  const joined = <Result>({ chunks, size }: ReadBody, use: (body: Buffer) => Result | Promise<Result>) => {
    const join = (): Result | Promise<Result> => use(Buffer.concat(chunks, size));
    return size > LARGE_BYTES ? turns.run(join) : join();
  };
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  const parseBody = (request: FastifyRequest, reservation: BodyReservation, body: Buffer): Promise<unknown> => {
    const maxValues = valueLimitOf(request, body.length);
    if (!isUtf8(body)) throw new InvalidBodyError('The body is not valid UTF-8');
    const values = countJsonValues(body, maxValues + 1);
    if (values > maxValues) throw new InvalidBodyError(`The body has too many values: at most ${maxValues}`);
    reservation.grow(values * BYTES_PER_VALUE);
    return new Promise((resolve, reject) => {
      const text = body.toString('utf8');
      void parseJson(request, text, (error, parsed) =>
        error ? reject(new InvalidBodyError(jsonProblem(text))) : resolve(parsed),
      );
    });
  };
  fastify.addContentTypeParser(JSON_TYPE, async (request: FastifyRequest, stream: Readable) => {
    if (!mediaTypesOf(request).includes('application/json')) return refuseMediaType(request);
    const { reservation, body } = await readReserved(request, stream);
    if (request.routeOptions.config.rawBody) return joined(body, asItIs);
    return body.size === 0 ? undefined : joined(body, (bytes) => parseBody(request, reservation, bytes));
  });
  for (const type of ['message/rfc822', 'text/plain'] as const) {
    fastify.addContentTypeParser(type, async (request: FastifyRequest, stream: Readable) => {
      if (!mediaTypesOf(request).includes(type)) return refuseMediaType(request);
      return joined((await readReserved(request, stream)).body, asItIs);
    });
  }
  fastify.addContentTypeParser('*', async (request: FastifyRequest) => refuseMediaType(request));
  // A handler keeps its body in memory until it responds, even if the client disconnects.
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    reservations.get(request)?.release();
    done();
  });
}

function asItIs(body: Buffer): Buffer {
  return body;
}

/**
 * Reserves memory for what a handler makes of a body, until the response.
 * @throws TooManyBodyBytesError, BodyShareExceededError
 */
export function reserveForBody(request: FastifyRequest, bytes: number): void {
  reservations.get(request)?.grow(bytes);
}

/** Refuses requests on their headers alone where possible, and asks the other clients for their bodies. */
function refuseEarly(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    // A compressed body could expand beyond every limit.
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const isRefused = encoding.toLowerCase() !== 'identity' && hasReadBody(request);
    done(isRefused ? new UnsupportedBodyError('The body must not be compressed') : undefined);
  });
  fastify.addHook('preParsing', (request, reply, _stream, done) => {
    if (!hasReadBody(request)) return done();
    const isOfAnyLength =
      request.routeOptions.config.streamsAnyLength && !JSON_TYPE.test(request.headers['content-type'] ?? '');
    const limit = isOfAnyLength ? Infinity : bodyLimitOf(request);
    if (Number(request.headers['content-length'] ?? 0) > limit) return done(new BodyTooLargeError(limit));
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done();
  });
}

/** False for a request whose headers of a body mean nothing: without one, or of a method whose body nobody reads. */
function hasReadBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
