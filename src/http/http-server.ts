import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { errorCodes, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { uuidV7 } from '../clock/uuid-v7.js';
import type { Logger } from '../logging/logger.js';
import { NodeReply, type EarlyHandler } from './early-answer.js';
import { ExpressLane } from './express-lane.js';
import type { HttpMetrics } from './http-metrics.js';
import { InvalidBodyError } from './invalid-body-error.js';
import { sentenceOf } from './status-sentences.js';

export const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Longest time a request may take to arrive whole, and how often that is looked at: at most 30 s together. */
const REQUEST_TIMEOUT_MS = 25_000;
const CONNECTIONS_CHECK_MS = 5_000;
/** An address can have 254 characters, each three times as long once encoded. */
const MAX_PATH_PARAMETER = 800;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

export interface EarlyRequests {
  /** What the targets of these requests begin with. */
  readonly prefix: string;
  readonly handle: EarlyHandler;
}

/** The HTTP server of a process. `early` is asked first, so that hot addresses do not pay for routing. */
export function createHttpAdapter(
  early: EarlyRequests | undefined,
  logger: Logger,
  metrics: HttpMetrics,
): FastifyAdapter {
  const lane = early && new ExpressLane(early.prefix, early.handle);
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    genReqId: (request: { headers: IncomingMessage['headers'] }) => requestIdOf(request.headers['x-request-id']),
    frameworkErrors: refuse,
    // What still comes while the server closes is served: its connection was open before.
    return503OnClosing: false,
    serverFactory: (handler: RequestListener) => {
      const server = createServer({ connectionsCheckingInterval: CONNECTIONS_CHECK_MS }, (request, response) => {
        const { method = '', url = '' } = request;
        if (!early?.handle(method, url, new NodeReply(response))) handler(request, response);
      });
      server.requestTimeout = REQUEST_TIMEOUT_MS;
      server.headersTimeout = REQUEST_TIMEOUT_MS;
      lane?.open(server);
      return server;
    },
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.addHook('preClose', (done) => {
    lane?.close();
    done();
  });
  tellRequestIds(fastify);
  recordAnswers(fastify, logger, metrics);
  acceptOnlyJson(fastify);
  return adapter;
}

/** Answers an address that cannot even be routed; hooks and filters never see it. */
function refuse({ statusCode = 400 }: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .status(statusCode)
    .header('x-request-id', request.id)
    .send({ error: sentenceOf(statusCode) });
}

/** The caller's own request id when it is a sensible one, so that logs of both sides can be matched. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : uuidV7(Date.now());
}

function acceptOnlyJson(fastify: FastifyInstance): void {
  // A compressed body would have a size that no limit has seen.
  fastify.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    done(encoding.toLowerCase() === 'identity' ? undefined : new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(encoding));
  });
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    /^application\/([\w.-]+\+)?json(;|$)/,
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      // A body that an endpoint does not need may be missing, whatever its announced type.
      if (body.length === 0) return done(null, undefined);
      if (!isUtf8(body)) return done(new InvalidBodyError('The body is not valid UTF-8'));
      void parseJson(request, body.toString('utf8'), (error, parsed) =>
        error ? done(new InvalidBodyError('The body is not valid JSON')) : done(null, parsed),
      );
    },
  );
}

function tellRequestIds(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    void reply.header('x-content-type-options', 'nosniff');
    done();
  });
}

/** One line and one observation per request: the route's pattern, never its URL, which can carry an address. */
function recordAnswers(fastify: FastifyInstance, logger: Logger, metrics: HttpMetrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = request.routeOptions.url ?? 'unknown';
    const isProbe = route.startsWith('/health');
    logger[isProbe ? 'debug' : 'info'](
      { requestId, method, route, status, ms: Math.round(elapsedTime) },
      'Request answered',
    );
    if (!isProbe) metrics.recordAnswer(method, route, status, elapsedTime);
    done();
  });
}
