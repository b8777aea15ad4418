import { fastify, type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { RunSettings } from '../config/settings.js';
import { OperatorError } from '../errors/operator-error.js';
import type { HealthController } from '../health/health.controller.js';
import type { RedisServers } from '../redis/redis-servers.js';

/** Where Prometheus looks for exporters by custom; several processes of one machine take the next ones. */
const FIRST_PORT = 9464;
const PORTS_TO_TRY = 20;

export interface OperatorServer {
  /** Port it listens on. */
  readonly port: number;
  stop(): Promise<void>;
}

export interface OperatorSurfaces {
  readonly metrics: Registry;
  readonly health: HealthController;
}

type OperatorSettings = Pick<
  RunSettings,
  'OPERATOR_PORT' | 'OPERATOR_HOST' | 'OPERATOR_PASSWORD' | 'KEEP_ALIVE_TIMEOUT_MS'
> &
  RedisServers;

/** Names of this machine, as Host headers and OPERATOR_HOST write them. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)?$/i;

/**
 * Serves what only operators may see on a port of its own, so that no mistake in routing shows it to the public:
 * metrics, health with its reasons and, where a password is set, the queue board.
 * @throws OperatorError when the port is taken
 */
export async function startOperatorServer(
  settings: OperatorSettings,
  { metrics, health }: OperatorSurfaces,
): Promise<OperatorServer> {
  const { KEEP_ALIVE_TIMEOUT_MS: keepAliveTimeout, OPERATOR_HOST } = settings;
  const server = fastify({ logger: false, forceCloseConnections: true, keepAliveTimeout });
  // It only shows: no body is read.
  server.removeAllContentTypeParsers();
  server.setNotFoundHandler((_request, reply) => void reply.status(404).send({ error: 'Not found' }));
  server.addHook('onRequest', async (request, reply) => {
    void reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    // A page of the same machine's browser could have its own name lead here, and read what it is told (DNS rebinding).
    if (LOOPBACK.test(OPERATOR_HOST) && !LOOPBACK.test(request.hostname)) {
      return reply.status(421).send({ error: 'This port is for requests to localhost: set OPERATOR_HOST for others' });
    }
  });
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
  server.get('/health/live', (_request, reply) => health.live(reply));
  server.get('/health/ready', (_request, reply) => health.ready(reply));
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

/** Loaded only where somebody may look at it. */
async function loadBoard(server: FastifyInstance, settings: OperatorSettings) {
  const { OPERATOR_PASSWORD } = settings;
  if (OPERATOR_PASSWORD === undefined) return undefined;
  const { serveQueueBoard } = await import('./queue-board.js');
  return serveQueueBoard(server, settings, OPERATOR_PASSWORD);
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
      throw new OperatorError(`Cannot listen on port ${port} of ${host} (${code}): set OPERATOR_PORT to a free one`);
    }
  }
  throw new Error('no port to listen on');
}
