import { fastify, type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { RunSettings } from '../config/settings.js';
import { portError } from '../errors/port-error.js';
import type { HealthController } from '../health/health.controller.js';
import { ClientAddresses } from '../http/client-address.js';
import { hasOneHost } from '../http/host-field.js';
import { statusMessageOf } from '../http/status-messages.js';
import type { RedisServers } from '../redis/redis-servers.js';
import { OperatorLogin } from './operator-login.js';

/** A conventional port of Prometheus exporters. Further processes on the same machine take the next free port. */
const FIRST_PORT = 9464;
const PORTS_TO_TRY = 20;

export interface OperatorServer {
  readonly port: number;
  stop(): Promise<void>;
}

export interface OperatorSurfaces {
  readonly metrics: Registry;
  readonly health: HealthController;
  /** True for a host name at which the service may be reached; absent in processes that do not know. */
  readonly isOurHost?: (host: string) => Promise<boolean>;
}

type OperatorSettings = Pick<
  RunSettings,
  'OPERATOR_PORT' | 'OPERATOR_HOST' | 'OPERATOR_PASSWORD' | 'KEEP_ALIVE_TIMEOUT_MS' | 'TRUSTED_PROXIES'
> &
  RedisServers;

/** RFC 1035, 2.3.4. */
const LONGEST_HOST = 253;

/** Names of this machine in Host headers and OPERATOR_HOST. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)?$/i;

/**
 * Serves metrics, health and, if a password is set, the queue board. They have a separate port, so that a routing
 * mistake cannot expose them to the public.
 * @throws OperatorError when the port is taken
 */
export async function startOperatorServer(
  settings: OperatorSettings,
  { metrics, health, isOurHost }: OperatorSurfaces,
): Promise<OperatorServer> {
  const { KEEP_ALIVE_TIMEOUT_MS: keepAliveTimeout, OPERATOR_HOST } = settings;
  const server = fastify({ logger: false, forceCloseConnections: true, keepAliveTimeout });
  // As in the HTTP server, so that no field of a request is left out.
  server.server.maxHeadersCount = 0;
  // The server is read-only and reads no bodies.
  server.removeAllContentTypeParsers();
  server.setNotFoundHandler((_request, reply) => void reply.status(404).send({ error: 'Not found' }));
  server.addHook('onRequest', async (request, reply) => {
    void reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    if (!hasOneHost(request.raw)) return reply.status(400).send({ error: statusMessageOf(400) });
    // Prevents DNS rebinding: a web page in a local browser could point its own host name at this port.
    if (LOOPBACK.test(OPERATOR_HOST) && !LOOPBACK.test(request.hostname)) {
      return reply
        .status(421)
        .send({ error: 'This port accepts only requests to localhost: set OPERATOR_HOST to allow others' });
    }
  });
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
  server.get('/health/live', (_request, reply) => health.live(reply));
  server.get('/health/ready', (_request, reply) => health.ready(reply));
  if (isOurHost) serveTlsCheck(server, isOurHost);
  const board = await loadBoard(server, settings);
  const stop = async (): Promise<void> => {
    await server.close();
    await board?.close();
  };
  try {
    return { port: await listen(server, settings), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Tells a proxy that obtains TLS certificates on demand, such as Caddy, whether it may obtain one for a host name. It
 * reads 200 as yes and anything else as no.
 */
function serveTlsCheck(server: FastifyInstance, isOurHost: (host: string) => Promise<boolean>): void {
  server.get('/internal/tls-check', async (request, reply) => {
    const { domain } = request.query as { domain?: unknown };
    if (typeof domain !== 'string' || domain === '' || domain.length > LONGEST_HOST) {
      return reply.status(400).send({ error: 'domain is required: a host name, as in ?domain=click.example.com' });
    }
    const isOurs = await isOurHost(domain).catch(() => undefined);
    if (isOurs === undefined) return reply.status(503).send({ error: 'Postgres is not available' });
    if (!isOurs) return reply.status(404).send({ error: 'This service is not reached at that name' });
    return { domain };
  });
}

/** Loads the queue board only if a password is set. */
async function loadBoard(server: FastifyInstance, settings: OperatorSettings) {
  const { OPERATOR_PASSWORD, TRUSTED_PROXIES } = settings;
  if (OPERATOR_PASSWORD === undefined) return undefined;
  const { serveQueueBoard } = await import('./queue-board.js');
  return serveQueueBoard(server, settings, new OperatorLogin(OPERATOR_PASSWORD), new ClientAddresses(TRUSTED_PROXIES));
}

async function listen(server: FastifyInstance, settings: OperatorSettings): Promise<number> {
  const { OPERATOR_HOST: host, OPERATOR_PORT: wanted } = settings;
  const ports = wanted === undefined ? [...Array(PORTS_TO_TRY).keys()].map((index) => FIRST_PORT + index) : [wanted];
  for (const port of ports) {
    try {
      const address = await server.listen({ port, host });
      return Number(new URL(address).port);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE' && port !== ports.at(-1)) continue;
      throw portError({ host, port, setting: 'OPERATOR_PORT' }, error);
    }
  }
  throw new Error('no port to listen on');
}
