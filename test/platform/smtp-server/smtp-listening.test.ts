import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { endAfter } from '../../../src/platform/smtp-server/smtp-listening.js';

it('ends connections after a time, except those that may stay', async () => {
  const staying = new Set<number>();
  const server = createServer();
  server.on(
    'connection',
    endAfter(20, ({ remotePort }) => staying.has(remotePort!)),
  );
  server.on('connection', (socket) => socket.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const [stays, ends] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all([once(stays, 'connect'), once(ends, 'connect')]);
  staying.add(stays.localPort!);
  await once(ends, 'close');
  // Its time was over before that of a connection that begins now.
  const later = connect(port, '127.0.0.1');
  await once(later, 'close');
  expect(stays.destroyed).toBe(false);
  stays.destroy();
  server.close();
});
