import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { uuidV7 } from '../clock/uuid-v7.js';
import type { RunSettings } from '../config/settings.js';
import type { Logger } from '../logging/logger.js';
import { refuseClientError } from './client-errors.js';
import { NodeReply, type FastPathHandler } from './fast-path/static-response.js';
import { FastPath } from './fast-path/fast-path.js';
import type { HttpMetrics } from './http-metrics.js';
import { limitConnections } from './connection-limit.js';
import { statusMessageOf } from './status-messages.js';
import { cutSlowResponses, cutStalledResponses, RESPONSE_PATIENCE, type ResponsePatience } from './unread-responses.js';

/** Longest time a request may take to arrive whole, and how often that is looked at: at most 30 s together. */
const REQUEST_TIMEOUT_MS = 25_000;
const CONNECTIONS_CHECK_MS = 5_000;
/** An address can have 254 characters, each three times as long once encoded. */
const MAX_PATH_PARAMETER = 800;
const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** What no cache may keep: answers of the API depend on a header that caches know nothing of (RFC 9111, 3.5). */
const PRIVATE_PATH = /^\/(api|health)(\/|\?|$)/;

export interface EarlyRequests {
  /** What the targets of these requests begin with. */
  readonly prefix: string;
  readonly handle: FastPathHandler;
}

export interface HttpServerOptions {
  readonly settings: Pick<RunSettings, 'KEEP_ALIVE_TIMEOUT_MS' | 'MAX_CONNECTIONS'>;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  /** Asked first, so that hot addresses do not pay for routing. */
  readonly early?: EarlyRequests;
  readonly responsePatience?: ResponsePatience;
}

/** The HTTP server of a process. It reads no bodies: a process that takes them adds what reads them. */
export function createHttpAdapter(options: HttpServerOptions): FastifyAdapter {
  const { early, logger, metrics, responsePatience = RESPONSE_PATIENCE } = options;
  const lane = early && new FastPath(early.prefix, early.handle);
  const adapter = new FastifyAdapter({
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    genReqId: (request: { headers: IncomingMessage['headers'] }) => requestIdOf(request.headers['x-request-id']),
    frameworkErrors: refuse,
    clientErrorHandler: refuseClientError,
    // What still comes while the server closes is served: its connection was open before.
    return503OnClosing: false,
    serverFactory: (handler: RequestListener) => {
      const server = createNodeServer(options, (request, response) => {
        const { method = '', url = '' } = request;
        if (!early?.handle(method, url, new NodeReply(response))) handler(request, response);
      });
      cutStalledResponses(server, responsePatience);
      lane?.open(server);
      return server;
    },
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.addHook('preClose', (done) => {
    lane?.close();
    done();
  });
  setUsualHeaders(fastify);
  refuseUnknownRoutes(fastify);
  cutSlowResponses(fastify, responsePatience);
  recordAnswers(fastify, logger, metrics);
  fastify.removeAllContentTypeParsers();
  return adapter;
}

function createNodeServer({ settings, logger, metrics }: HttpServerOptions, listener: RequestListener): Server {
  const server = createServer({ connectionsCheckingInterval: CONNECTIONS_CHECK_MS }, listener);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = settings.KEEP_ALIVE_TIMEOUT_MS;
  limitConnections(server, settings.MAX_CONNECTIONS, logger, metrics);
  // Who asks before sending a body is told to send it once its request may pass.
  server.on('checkContinue', listener);
  server.on('checkExpectation', (_request, response: ServerResponse) => refuseExpectation(response));
  return server;
}

/** Answers an address that cannot even be routed; hooks and filters never see it. */
function refuse({ statusCode = 400 }: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .status(statusCode)
    .headers(usualHeaders(request))
    .send({ error: statusMessageOf(statusCode) });
}

/** The caller's own request id when it is a sensible one, so that logs of both sides can be matched. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : uuidV7(Date.now());
}

function refuseExpectation(response: ServerResponse): void {
  const body = JSON.stringify({ error: statusMessageOf(417) });
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'x-request-id': uuidV7(Date.now()),
    connection: 'close',
  });
  response.end(body);
}

function setUsualHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(usualHeaders(request));
    done();
  });
}

function usualHeaders({ id, url, routeOptions }: FastifyRequest): Record<string, string> {
  // The route's own pattern: a path may be spelled with escapes. An unknown route has none.
  const path = routeOptions.url ?? url;
  return {
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    ...(PRIVATE_PATH.test(path) && { 'cache-control': 'no-store', vary: 'x-api-key' }),
  };
}

/** Before a body that came with such a request is read. */
function refuseUnknownRoutes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    void reply.status(404).send({ error: statusMessageOf(404) });
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
