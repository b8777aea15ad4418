import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { refuseClientError } from '../../../src/platform/http/client-errors.js';

const PIECE = 'x'.repeat(64 * 1024);

/** Bounds the time that the head of a request may take; with so short a one every beginning is too slow. */
const AT_ONCE = { connectionsCheckingInterval: 10, headersTimeout: 20, requestTimeout: 20 };

/** A server, and a client that has sent the beginning of a request. Calls back with the URLs that are handled. */
async function sent(
  beginning: string,
  work: (client: Socket, handled: readonly (string | undefined)[]) => Promise<void>,
  timeouts: ServerOptions = {},
): Promise<void> {
  const handled: (string | undefined)[] = [];
  const server = createServer(timeouts, ({ url }, response) => {
    handled.push(url);
    response.end();
  });
  server
    .on('clientError', (error: NodeJS.ErrnoException, socket) => refuseClientError(error, socket as Socket))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  client.write(beginning);
  try {
    await work(client, handled);
  } finally {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** False once the connection is gone. */
function send(client: Socket, text: string): Promise<boolean> {
  return new Promise((resolve) => client.write(text, (error) => resolve(!error)));
}

async function readAll(client: Socket): Promise<string> {
  let response = '';
  client.on('data', (data) => (response += String(data))).resume();
  await once(client, 'end');
  return response;
}

it('a client whose headers never end can read that they are too large', async () => {
  await sent(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${PIECE}`, async (client) => {
    client.pause();
    // Several times what the buffers of both sides hold: the server has to take it.
    for (let pieces = 0; pieces < 400; pieces++) expect([pieces, await send(client, PIECE)]).toEqual([pieces, true]);
    expect(await readAll(client)).toMatch(/^HTTP\/1\.1 431 [^]*"error":"/);
  });
});

it('no request is handled after a refused one on the same connection', async () => {
  await sent('GET /first HTTP/1.1\r\nbad header\r\n\r\n', async (client, handled) => {
    client.pause();
    for (let further = 0; further < 20; further++) await send(client, 'GET /next HTTP/1.1\r\nhost: x\r\n\r\n');
    expect((await readAll(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(handled).toEqual([]);
  });
});

it('a request that was too slow is not handled when its rest arrives', async () => {
  const slow = async (client: Socket, handled: readonly (string | undefined)[]): Promise<void> => {
    const closed = new Promise((resolve) => client.once('close', resolve));
    const response = await new Promise((resolve) => client.once('data', resolve));
    expect(String(response)).toMatch(/^HTTP\/1\.1 408 /);
    while (!client.destroyed && (await send(client, 'x: y\r\n\r\n')));
    await closed;
    expect(handled).toEqual([]);
  };
  await sent('GET /slow HTTP/1.1\r\nhost: x\r\n', slow, AT_ONCE);
});
