import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DeadlineError } from '../../../src/platform/clock/with-deadline.js';
import type { HttpResponse } from '../../../src/platform/outbound-http/bounded-response.js';
import { GuardedHttp } from '../../../src/platform/outbound-http/guarded-http.js';
import { eventually } from '../../support/eventually.js';

const policy = { allowPrivateAddresses: true, allowHttp: true, ownHost: 'track.example.com' };

let server: Server;
let client: GuardedHttp;
let sockets: Set<Socket>;
let requests: number;
let respond: (socket: Socket) => void;

beforeEach(async () => {
  sockets = new Set();
  requests = 0;
  client = new GuardedHttp(policy, () => Promise.resolve(['127.0.0.1']));
  server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => socket.destroy())
      .on('close', () => sockets.delete(socket))
      .on('data', () => {
        requests += 1;
        respond(socket);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Sends `text` in reply to each request, and then does `next`. */
async function responseTo(text: string, next: (socket: Socket) => void, deadlineMs = 10_000): Promise<HttpResponse> {
  respond = (socket) => void socket.write(text, () => next(socket));
  const { port } = server.address() as AddressInfo;
  return client.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', deadlineMs, keepBytes: 4 });
}

const head = (status: number, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} Status`, ...headers, '', ''].join('\r\n');

/** Sends a byte at intervals, for ever. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('.'), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('the status counts once its headers are complete', () => {
  it.each([
    ['is closed', (socket: Socket) => void socket.end()],
    ['is reset', (socket: Socket) => setTimeout(() => socket.resetAndDestroy(), 50)],
  ])('although the connection %s in the body', async (_what, next) => {
    for (const status of [200, 204, 410, 500]) {
      const response = await responseTo(head(status, 'Content-Length: 10') + 'ab', next);
      expect([response.status, response.body.toString()]).toEqual([status, status === 204 ? '' : 'ab']);
    }
    expect(requests).toBe(4);
    await eventually(() => sockets.size === 0);
  });

  it.each([
    ['contains bytes of no length', 'Transfer-Encoding: chunked', '2\r\nab\r\nno length\r\n'],
    ['is said to be compressed, but is not', 'Content-Encoding: gzip', 'abcdef'],
  ])('although its body %s', async (_what, header, body) => {
    const response = await responseTo(head(200, header) + body, (socket) => socket.end());
    expect(response.status).toBe(200);
    expect(response.body.toString()).toMatch(/^ab/);
  });

  it('although its body never ends', async () => {
    const response = await responseTo(head(200, 'Content-Length: 1000') + 'ab', drip, 500);
    expect(response.status).toBe(200);
    expect(response.body.toString()).toMatch(/^ab/);
    await eventually(() => sockets.size === 0);
  });

  it('although its body never begins', async () => {
    const response = await responseTo(head(200, 'Content-Length: 1000'), () => undefined, 500);
    expect([response.status, response.body.length]).toEqual([200, 0]);
    await eventually(() => sockets.size === 0);
  });

  it('and so do its headers', async () => {
    const { status, headers } = await responseTo(head(503, 'Retry-After: 7', 'Content-Length: 10'), (socket) =>
      socket.end(),
    );
    expect([status, headers['retry-after']]).toEqual([503, '7']);
  });
});

describe('nothing counts before that', () => {
  it('if the connection is closed', async () => {
    await expect(responseTo('HTTP/1.1 200 OK\r\nX-Cut: ', (socket) => socket.end())).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
  });

  it('if they never end', async () => {
    await expect(responseTo('HTTP/1.1 200 OK\r\nX-Slow: ', drip, 300)).rejects.toThrow(DeadlineError);
    await eventually(() => sockets.size === 0);
  });
});
