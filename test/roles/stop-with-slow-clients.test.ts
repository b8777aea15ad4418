import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually, settledWithin } from '../support/eventually.js';
import { TestService } from '../support/service.js';

const HEADERS = 'HTTP/1.1\r\nHost: x\r\n';

/** A connection that has got one response, and then sends the headers of another request a byte at a time. */
async function slowClient(port: number, path: string): Promise<{ socket: Socket; end(): void }> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(`GET /health/live ${HEADERS}\r\n`);
  await once(socket, 'data');
  socket.resume();
  socket.write(`GET ${path} ${HEADERS}X: `);
  const trickle = setInterval(() => socket.write('x'), 50);
  const end = (): void => {
    clearInterval(trickle);
    socket.destroy();
  };
  return { socket, end };
}

it('a client that sends its headers slowly does not keep a process from stopping', async () => {
  const service = await TestService.start({ environment: { ROLES: 'tracking' } });
  const slow = await slowClient(service.settings.PORT, '/api/t/o/x');
  // By now, the server has read the first headers.
  await fetch(`${service.address}/health/live`).then((response) => response.text());
  try {
    // Without a limit, this waits for the client, which never ends.
    await settledWithin(30_000, service.stop());
  } finally {
    slow.end();
  }
});

it('an upload in progress still gets its response', async () => {
  const service = await TestService.start({ environment: { ROLES: 'api' } });
  const { apiKey } = await service.organization();
  const slow = await slowClient(service.settings.PORT, '/api/campaigns');
  const body = JSON.stringify({ name: 'Sent while the process stops' });
  const upload = connect(service.settings.PORT, '127.0.0.1');
  let response = '';
  upload.on('data', (data) => (response += String(data)));
  const headers = [`x-api-key: ${apiKey}`, 'content-type: application/json', `content-length: ${body.length}`];
  upload.write(`POST /api/campaigns ${HEADERS}${headers.join('\r\n')}\r\nexpect: 100-continue\r\n\r\n`);
  await eventually(() => response.includes('100 Continue'));
  upload.write(body.slice(0, 10));
  const stopped = service.stop();
  // Once it is cut, the upload has outlived the limit for connections without a request.
  await eventually(() => slow.socket.closed);
  upload.write(body.slice(10));
  await stopped;
  expect(response).toMatch(/HTTP\/1\.1 201 [^]*connection: close/i);
  slow.end();
});
