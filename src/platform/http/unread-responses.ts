import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyReservation } from './body-budget.js';
import { addRouteConfig } from './route-config.js';
import { watchRequests } from './watch-requests.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a client may take to read the whole response of the route, if it may exceed the default. */
    maxResponseMs?: number;
    /** The response lasts as long as the client stays, so its duration is no measure of the service. */
    isEventStream?: boolean;
  }
}

const EXPORT_MS = 10 * 60_000;

/** For routes whose response is a file of any length. */
export const RespondsWithFile = (): MethodDecorator => addRouteConfig({ maxResponseMs: EXPORT_MS });

/** How long a response of server-sent events lasts. Clients reconnect automatically, perhaps to another process. */
export const EVENT_STREAM_MS = 3_600_000;

/** For routes whose response is a stream of events, which its handler ends in time. */
export const RespondsWithEvents = (): MethodDecorator =>
  addRouteConfig({ maxResponseMs: EVENT_STREAM_MS + 60_000, isEventStream: true });

export interface ResponseTimeouts {
  /** How long a client may go without reading any of its response. */
  readonly stallMs: number;
  /** How long a client may take to read a whole response. The largest is a few megabytes. */
  readonly totalMs: number;
}

export const RESPONSE_TIMEOUTS: ResponseTimeouts = { stallMs: 30_000, totalMs: 120_000 };

/** Fits into the kernel's send buffer, whether or not the client reads it. */
const SMALL_BYTES = 64 * 1024;

/**
 * HTTP libraries send the requests of a connection one at a time. The response to a further one stays in memory until
 * the client has read those before it.
 */
const MAX_PIPELINED = 8;

/** Closes connections whose client does not read its response. Otherwise the process would hold them forever. */
export function cutStalledResponses(server: Server, { stallMs }: ResponseTimeouts): void {
  server.timeout = stallMs;
  watchRequests(server, (_request, response) => {
    // While a handler runs, its connection is idle through no fault of the client.
    response.on('timeout', () => {
      if (response.writableEnded) response.socket?.destroy();
    });
  });
}

/**
 * Closes connections on which more requests wait for their responses than `MAX_PIPELINED`. When a connection closes, so
 * do the responses that wait for earlier ones: Node closes only the one whose turn it is, in this way, and the others
 * would keep their streams, timers and memory forever.
 */
export function limitPipelining(server: Server): void {
  const unfinished = new WeakMap<Socket, Set<ServerResponse>>();
  const responsesOn = (socket: Socket): Set<ServerResponse> => {
    const known = unfinished.get(socket);
    if (known) return known;
    const responses = new Set<ServerResponse>();
    unfinished.set(socket, responses);
    socket.once('close', () => {
      for (const response of responses) if (!response.socket) close(response);
    });
    return responses;
  };
  watchRequests(server, ({ socket }, response) => {
    const responses = responsesOn(socket).add(response);
    response.once('close', () => responses.delete(response));
    if (responses.size > MAX_PIPELINED) socket.destroy();
  });
}

function close(response: ServerResponse): void {
  if (!response.destroyed) Object.assign(response, { destroyed: true, _closed: true }).emit('close');
}

/** Closes connections whose client reads its response a few bytes at a time. */
export function cutSlowResponses(fastify: FastifyInstance, { totalMs }: ResponseTimeouts): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // The timer would keep the response of a client that has left.
    if (sizeOf(payload) > SMALL_BYTES && !reply.raw.destroyed) {
      const deadlineMs = request.routeOptions.config.maxResponseMs ?? totalMs;
      // A response that waits for earlier ones of its connection has no socket yet.
      const { socket } = request.raw;
      const timer = setTimeout(() => socket.destroy(), deadlineMs).unref();
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Bounds the bytes of responses that their clients have not read yet. The response to a change counts, but is not
 * refused, because the change has happened.
 * @param reserve opens a reservation in the share of the budget that the client of a request uses
 */
export function limitUnreadResponses(
  fastify: FastifyInstance,
  reserve: (request: FastifyRequest) => BodyReservation,
): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Files are the same bytes for all clients.
    const size = typeof payload === 'string' ? Buffer.byteLength(payload) : 0;
    if (size <= SMALL_BYTES || reply.raw.destroyed) return done();
    const reservation = reserve(request);
    try {
      if (request.method === 'GET') reservation.grow(size);
      else reservation.hold(size);
    } catch (error) {
      return done(error as Error);
    }
    reply.raw.once('close', () => reservation.release());
    done();
  });
}

/** Returns Infinity for a stream. */
function sizeOf(payload: unknown): number {
  if (payload === undefined || payload === null) return 0;
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Infinity;
}
