import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { clientNetwork } from '../addresses/client-network.js';
import type { ClientAddresses } from '../http/client-address.js';
import { viewQueues } from '../queue/queue-view.js';
import type { RedisServers } from '../redis/redis-servers.js';
import type { OperatorLogin } from './operator-login.js';

const BOARD_PATH = '/queues';

/** Permits the page's inline styles and blocks its third-party fonts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

export interface QueueBoard {
  close(): Promise<void>;
}

/**
 * Serves the queue board behind the operator login. The board is read-only: Postgres is the source of truth, and
 * recovery would undo manual changes to jobs. Jobs carry only IDs, so the board shows no personal data.
 */
export async function serveQueueBoard(
  server: FastifyInstance,
  redis: RedisServers,
  login: OperatorLogin,
  clients: ClientAddresses,
): Promise<QueueBoard> {
  const view = viewQueues(redis);
  const adapter = new FastifyAdapter();
  adapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: view.queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Mailbeacon' } },
  });
  await server.register(async (board) => {
    guard(board, login, clients);
    await board.register(adapter.registerPlugin(), { prefix: BOARD_PATH });
  });
  return view;
}

function guard(board: FastifyInstance, login: OperatorLogin, clients: ClientAddresses): void {
  board.addHook('onRequest', async (request, reply) => {
    void reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer');
    const network = clientNetwork(clients.clientOfRequest(request.raw));
    const outcome = login.check(request.headers.authorization, network);
    if (outcome === 'too-many') {
      void reply.header('retry-after', 60);
      return reply.status(429).send({ error: 'Too many wrong passwords from this address: please wait a minute' });
    }
    if (outcome === 'refused') {
      void reply.header('www-authenticate', 'Basic realm="Mailbeacon operators", charset="UTF-8"');
      return reply.status(401).send({ error: 'The queue board needs the operator password' });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply.status(405).send({ error: 'The queue board is read-only' });
    }
  });
}
