import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { endAfter } from '../../../src/platform/smtp-server/smtp-listening.js';

it('ends connections after a time', async () => {
  const server = createServer();
  server.on('connection', endAfter(20));
  server.on('connection', (socket) => socket.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'close');
  server.close();
});
