import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { GuardedHttp } from '../../../src/platform/outbound-http/guarded-http.js';
import { eventually } from '../../support/eventually.js';

const MEGABYTE = 1024 * 1024;
const policy = { allowPrivateAddresses: true, allowHttp: true, ownHost: 'track.example.com' };

let server: Server;
let client: GuardedHttp;
let sockets: Set<Socket>;
let written: number;
let respond: (socket: Socket) => void;

beforeEach(async () => {
  sockets = new Set();
  written = 0;
  client = new GuardedHttp(policy, () => Promise.resolve(['127.0.0.1']));
  server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => socket.destroy())
      .once('close', () => {
        sockets.delete(socket);
        written += socket.bytesWritten;
      })
      .on('data', () => respond(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function post() {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  return client.post({ url, headers: {}, body: '{}', deadlineMs: 10_000, keepBytes: 4 });
}

/** Sends a text as fast as it is read, for ever. */
function pour(text: string, socket: Socket): void {
  const chunk = Buffer.from(text.repeat(10_000));
  const write = (): void => {
    if (!socket.destroyed && socket.write(chunk)) setImmediate(write);
  };
  socket.on('drain', write);
  write();
}

/** Each takes time of the event loop, and the deadline alone leaves seconds for them. */
it.each([
  ['interim responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['continuations', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['empty lines', '\r\n'],
])('a server that sends %s without end is disconnected at once', async (_what, text) => {
  respond = (socket) => pour(text, socket);
  await expect(post()).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  await eventually(() => sockets.size === 0);
  // The buffers of the operating system, and no more.
  expect(written).toBeLessThan(16 * MEGABYTE);
});

it('some interim responses, a long head and a body in one piece are no problem', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n'.repeat(3);
  const head = `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(15_000)}\r\nContent-Length: 45000\r\n\r\n`;
  respond = (socket) => void socket.write(interim + head + 'b'.repeat(45_000));
  const { status, body } = await post();
  expect([status, body.toString()]).toEqual([200, 'bbbb']);
});

it('a server that sends data on an idle connection is disconnected at once', async () => {
  respond = (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n');
  expect((await post()).status).toBe(204);
  const [idle] = sockets;
  pour('HTTP/1.1 200 OK\r\n', idle!);
  await eventually(() => sockets.size === 0);
  expect(written).toBeLessThan(16 * MEGABYTE);
  // The next request gets a connection of its own, which is kept as usual.
  expect([(await post()).status, (await post()).status, sockets.size]).toEqual([204, 204, 1]);
});
