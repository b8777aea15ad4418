import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { StaticResponse } from '../../../src/platform/http/fast-path/static-response.js';
import { FastPath } from '../../../src/platform/http/fast-path/fast-path.js';
import { cutStalledResponses, limitPipelining } from '../../../src/platform/http/unread-responses.js';
import { eventually } from '../../support/eventually.js';

it('the fast path reads no further request while its responses are not read, and disconnects a client that never reads', async () => {
  const large = new StaticResponse(302, ['Content-Length', '0', 'Location', 'x'.repeat(8_000)]);
  let responses = 0;
  const lane = new FastPath('/early/', (_method, _target, reply) => {
    responses++;
    reply.send(large);
    return true;
  });
  const server = createServer();
  server.timeout = 300;
  lane.open(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed = once(socket, 'close');
  socket.on('error', () => {}).pause();
  // One request at a time, so that each is plain.
  for (let sent = 0; sent < 5_000; sent++) {
    socket.write('GET /early/1 HTTP/1.1\r\nHost: test\r\n\r\n');
    if (!(await eventually(() => responses > sent, 200).catch(() => false))) break;
  }
  expect(responses).toBeLessThan(5_000);
  socket.resume();
  await closed;
  lane.close();
  server.close();
});

it('disconnects a client that does not read its response, but not one whose response is still being created', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/slow') setTimeout(() => response.end('made'), 600);
    else response.end(Buffer.alloc(50_000_000));
  });
  cutStalledResponses(server, { stallMs: 200, totalMs: 120_000 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}/slow`)).text()).toBe('made');
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.pause().write('GET /large HTTP/1.1\r\nHost: test\r\n\r\n');
  const open = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  await eventually(async () => socket.bytesWritten > 0 && (await open()) >= 1);
  server.closeIdleConnections();
  await eventually(async () => (await open()) === 0);
  socket.destroy();
  server.close();
});

it('disconnects a client that sends many requests without waiting for their responses', async () => {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => void responses.push(response));
  limitPipelining(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const closed = once(socket, 'close');
  const request = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';
  socket.write(request.repeat(8));
  await eventually(() => responses.length === 8);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  for (const response of responses) response.end('made');
  await eventually(() => text.split('made').length === 9);
  expect(socket.closed).toBe(false);
  socket.write(request.repeat(9));
  await closed;
  server.close();
});
