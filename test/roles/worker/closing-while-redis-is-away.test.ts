import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { blockingConnectionOptions } from '../../../src/platform/redis/connect.js';
import { BullQueue } from '../../../src/roles/worker/bullmq-overrides/bull-queue.js';
import { MonitoredWorker } from '../../../src/roles/worker/bullmq-overrides/monitored-worker.js';
import { createTestRedis } from '../../support/services.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

/** Accepts connections and commands but never responds, like a Redis that is lost during the first connection. */
async function silentServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer((socket) => socket.on('error', () => undefined).resume());
  const sockets = new Set<import('node:net').Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async (): Promise<void> => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function consumerOf(url: string): MonitoredWorker {
  const consumer = new MonitoredWorker('away', async () => undefined, { connection: blockingConnectionOptions(url) });
  consumer.on('error', () => undefined);
  return consumer;
}

it.each([
  ['consumer', consumerOf],
  ['queue', (url: string) => new BullQueue('away', { connection: blockingConnectionOptions(url) })],
])('a %s that lost Redis during its first connection closes while Redis is down', async (_name, open) => {
  const server = await silentServer();
  const opened = open(server.url);
  await server.close();
  await opened.close();
});

it('a consumer that lost Redis after its first connection closes while Redis is down', async () => {
  const { url } = await createTestRedis();
  const cable = await TcpProxy.before(new URL(url));
  const consumer = consumerOf(cable.through(url));
  await consumer.waitUntilReady();
  await cable.goDown();
  await consumer.close();
});
