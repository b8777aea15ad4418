import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { lingerOnClose } from '../../../src/platform/http/lingering-close.js';

const PIECE = 'x'.repeat(64 * 1024);
const CHUNK = `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`;

/** A server that refuses each request at its first byte, with a client whose body has no end. */
async function refuse(
  lingerMs: number,
  work: (client: Socket, refused: Promise<unknown>) => Promise<void>,
): Promise<void> {
  let refused!: (value?: unknown) => void;
  const whenRefused = new Promise((resolve) => (refused = resolve));
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', refused);
    request.once('data', () => {
      request.resume();
      response.writeHead(413, { connection: 'close' }).end('too large');
    });
  });
  lingerOnClose(server, lingerMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  client.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${CHUNK}`);
  try {
    await work(client, whenRefused);
  } finally {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** False once the connection is gone. */
function send(client: Socket): Promise<boolean> {
  return new Promise((resolve) => client.write(CHUNK, (error) => resolve(!error)));
}

it('a client that keeps sending after its refusal can still read it', async () => {
  await refuse(60_000, async (client, refused) => {
    client.pause();
    await refused;
    // Several times what the buffers of both sides hold: the server has to take it.
    for (let sent = 0; sent < 400; sent++) expect([sent, await send(client)]).toEqual([sent, true]);
    let response = '';
    client.on('data', (data) => (response += String(data))).resume();
    await once(client, 'end');
    expect(response).toMatch(/^HTTP\/1\.1 413 [^]*\r\n\r\n[^]*too large/);
  });
});

it('a client that never stops sending is disconnected', async () => {
  await refuse(200, async (client, refused) => {
    await refused;
    client.resume();
    while (await send(client));
    expect(client.destroyed).toBe(true);
  });
});
