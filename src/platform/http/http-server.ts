import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { uuidV7 } from '../clock/uuid-v7.js';
import type { RunSettings } from '../config/settings.js';
import type { Logger } from '../logging/logger.js';
import { refuseClientError } from './client-errors.js';
import { CLOSE_TIMEOUTS, ClosingConnections, type CloseTimeouts } from './closing-connections.js';
import { NodeReply, type FastPathHandler } from './fast-path/static-response.js';
import { FastPath } from './fast-path/fast-path.js';
import { NodeHead } from './fast-path/request-head.js';
import type { HttpMetrics } from './http-metrics.js';
import { endStreamsOfHead } from './head-of-streams.js';
import { hasOneHost } from './host-field.js';
import { limitConnections } from './connection-limit.js';
import { lingerOnClose } from './lingering-close.js';
import { statusMessageOf } from './status-messages.js';
import { refuseUnknownPaths } from './unknown-paths.js';
import {
  cutSlowResponses,
  cutStalledResponses,
  limitPipelining,
  RESPONSE_TIMEOUTS,
  type ResponseTimeouts,
} from './unread-responses.js';

/** Deadline for receiving a complete request, and the interval between checks. Together at most 30 s. */
const REQUEST_TIMEOUT_MS = 25_000;
const CONNECTIONS_CHECK_MS = 5_000;
/** An email address has up to 254 characters. URL encoding can triple each of them. */
const MAX_PATH_PARAMETER = 800;
const REQUEST_ID = /^[\w.:-]{1,128}$/;
/**
 * No cache may store these: API responses depend on x-api-key and cookies, which caches do not know (RFC 9111, 3.5).
 */
const PRIVATE_PATH = /^\/(api|health)(\/|\?|$)/;

interface FastPathRequests {
  /** Prefix of the request targets that the handler serves. */
  readonly prefix: string;
  readonly handle: FastPathHandler;
}

export interface HttpServerOptions {
  readonly settings: Pick<RunSettings, 'KEEP_ALIVE_TIMEOUT_MS' | 'MAX_CONNECTIONS'>;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  /** Runs before routing, so that hot paths skip its cost. */
  readonly fastPath?: FastPathRequests;
  /** Also runs before routing, with the whole request. Returns false to pass it on. */
  readonly beforeRouting?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly responseTimeouts?: ResponseTimeouts;
  readonly closeTimeouts?: CloseTimeouts;
}

/** The HTTP server of a process. It reads no bodies by itself; see `acceptJsonBodies`. */
export function createHttpAdapter(options: HttpServerOptions): FastifyAdapter {
  const { fastPath: requests, beforeRouting, logger, metrics } = options;
  const { responseTimeouts = RESPONSE_TIMEOUTS, closeTimeouts = CLOSE_TIMEOUTS } = options;
  const fastPath = requests && new FastPath(requests.prefix, requests.handle);
  // Fastify makes one server for each address of the host.
  const closing: ClosingConnections[] = [];
  const adapter = new FastifyAdapter({
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    genReqId: (request: { headers: IncomingMessage['headers'] }) => requestIdOf(request.headers['x-request-id']),
    frameworkErrors: refuse,
    clientErrorHandler: refuseClientError,
    // While the server closes, requests on open connections are still served.
    return503OnClosing: false,
    serverFactory: (handler: RequestListener) => {
      const server = createNodeServer(options, (request, response) => {
        const { method = '', url = '' } = request;
        if (requests?.handle(method, url, new NodeReply(response), new NodeHead(request))) return;
        if (!beforeRouting?.(request, response)) handler(request, response);
      });
      closing.push(new ClosingConnections(server, closeTimeouts));
      fastPath?.open(server);
      return server;
    },
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.addHook('preClose', (done) => {
    fastPath?.close();
    for (const connections of closing) connections.close();
    done();
  });
  setDefaultHeaders(fastify);
  refuseUnknownPaths(fastify);
  endStreamsOfHead(fastify);
  cutSlowResponses(fastify, responseTimeouts);
  recordResponses(fastify, logger, metrics);
  fastify.removeAllContentTypeParsers();
  return adapter;
}

function createNodeServer(options: HttpServerOptions, routed: RequestListener): Server {
  const { settings, logger, metrics, responseTimeouts = RESPONSE_TIMEOUTS } = options;
  const listener: RequestListener = (request, response) => {
    if (hasOneHost(request)) routed(request, response);
    else refuseUnrouted(response, 400);
  };
  // Node would refuse a request without Host, too, but with neither a body nor a request ID.
  const server = createServer(
    { connectionsCheckingInterval: CONNECTIONS_CHECK_MS, requireHostHeader: false },
    listener,
  );
  // Otherwise Node leaves out fields after the first 2,000, among them a second Host. Their bytes are limited.
  server.maxHeadersCount = 0;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = settings.KEEP_ALIVE_TIMEOUT_MS;
  limitConnections(server, settings.MAX_CONNECTIONS, logger, metrics);
  // A client that sends `Expect: 100-continue` gets its 100 Continue only after the request passes the early checks.
  server.on('checkContinue', listener);
  server.on('checkExpectation', (_request, response: ServerResponse) => refuseUnrouted(response, 417));
  cutStalledResponses(server, responseTimeouts);
  limitPipelining(server);
  lingerOnClose(server);
  return server;
}

/** Responds to a URL that the router cannot parse. Hooks and filters never see such a request. */
function refuse({ statusCode = 400 }: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .status(statusCode)
    .headers(defaultHeaders(request))
    .send({ error: statusMessageOf(statusCode) });
}

/** Keeps the client's own request id if it is well-formed, so that logs of both sides can be correlated. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : uuidV7(Date.now());
}

function refuseUnrouted(response: ServerResponse, status: 400 | 417): void {
  const body = JSON.stringify({ error: statusMessageOf(status) });
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-request-id': uuidV7(Date.now()),
    connection: 'close',
  });
  response.end(body);
}

function setDefaultHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(defaultHeaders(request));
    done();
  });
}

function defaultHeaders({ id, url, routeOptions }: FastifyRequest): Record<string, string> {
  // Prefer the route's pattern, because a client may percent-encode the path. An unknown route has no pattern.
  const path = routeOptions.url ?? url;
  const isPrivate = PRIVATE_PATH.test(path) || routeOptions.config?.requestCheck !== undefined;
  return {
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    ...(isPrivate && { 'cache-control': 'no-store', vary: 'x-api-key, cookie' }),
  };
}

/**
 * Records a log line and a metric per request, with the route's pattern and never the URL, which can hold an address.
 */
function recordResponses(fastify: FastifyInstance, logger: Logger, metrics: HttpMetrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request;
    const { statusCode: status, elapsedTime } = reply;
    const { url: route = 'unknown', config } = request.routeOptions;
    const isProbe = route.startsWith('/health');
    logger[isProbe ? 'debug' : 'info'](
      { requestId, method, route, status, ms: Math.round(elapsedTime) },
      'Request completed',
    );
    if (!isProbe && !(config.isEventStream && status === 200))
      metrics.recordResponse(method, route, status, elapsedTime);
    done();
  });
}
