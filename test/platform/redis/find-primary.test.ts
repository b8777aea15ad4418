import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { findInCluster, KEY_SLOT } from '../../../src/platform/redis/find-primary.js';

const settings = { disconnectTimeout: 1_000 };
const LAST_SLOT = 16_383;
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.listening && once(server.close(), 'close')));
});

interface Range {
  readonly from: number;
  readonly to: number;
  readonly endpoint: string;
  readonly port: number;
}

/** A node that responds to every command as to CLUSTER SLOTS. @returns its port */
async function node(ranges: () => readonly Range[]): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', () => socket.write(`*${ranges().length}\r\n${ranges().map(written).join('')}`));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function written({ from, to, endpoint, port }: Range): string {
  return `*3\r\n:${from}\r\n:${to}\r\n*2\r\n$${endpoint.length}\r\n${endpoint}\r\n:${port}\r\n`;
}

const before = { from: 0, to: KEY_SLOT - 1, endpoint: '10.0.0.1', port: 1 };
const ours = { from: KEY_SLOT, to: KEY_SLOT, endpoint: '10.0.0.2', port: 2 };
const after = { from: KEY_SLOT + 1, to: LAST_SLOT, endpoint: '10.0.0.3', port: 3 };

it('finds the owner of our slot, whose certificate names the host that was asked', async () => {
  const port = await node(() => [before, ours, after]);
  const found = await findInCluster([`localhost:${port}`])(settings);
  expect(found).toMatchObject({ host: '10.0.0.2', port: 2, certificateName: 'localhost' });
});

it('takes a node without an endpoint for one at the host that was asked', async () => {
  const port = await node(() => [{ ...ours, endpoint: '' }]);
  expect(await findInCluster([`localhost:${port}`])(settings)).toMatchObject({ host: 'localhost', port: 2 });
});

it('names a node by the host that the cluster reports', async () => {
  const port = await node(() => [{ ...ours, endpoint: 'redis-2.internal' }]);
  const found = await findInCluster([`localhost:${port}`])(settings);
  expect(found).toMatchObject({ host: 'redis-2.internal', port: 2, certificateName: 'redis-2.internal' });
});

it('asks the nodes that the cluster has reported once its seed is gone', async () => {
  const other = await node(() => [{ ...ours, port: 4 }]);
  const seed = await node(() => [before, { ...ours, endpoint: '127.0.0.1', port: other }]);
  const find = findInCluster([`localhost:${seed}`]);
  expect(await find(settings)).toMatchObject({ host: '127.0.0.1', port: other });
  const gone = servers.pop()!;
  for (const socket of sockets.splice(0)) socket.destroy();
  await once(gone.close(), 'close');
  // All nodes have the certificate of the name in REDIS_CLUSTER.
  expect(await find(settings)).toMatchObject({ host: '10.0.0.2', port: 4, certificateName: 'localhost' });
});
