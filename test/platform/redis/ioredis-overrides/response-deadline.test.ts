import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { closeIfNoResponse } from '../../../../src/platform/redis/ioredis-overrides/response-deadline.js';

/** Long enough for a busy machine, on which client and server share one process. */
const LIMIT_MS = 1_000;

let server: Server;
let sockets: Socket[];
/** What the server does with a command. */
let respond: (accepted: Socket) => void;

beforeEach(async () => {
  sockets = [];
  server = createServer((accepted) => {
    sockets.push(accepted);
    accepted.on('error', () => undefined);
    accepted.on('data', () => respond(accepted));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function open(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket.resume());
  await once(socket, 'connect');
  return closeIfNoResponse(socket, LIMIT_MS);
}

async function closed(socket: Socket): Promise<string> {
  const [error] = (await once(socket, 'error')) as [Error];
  return error.message;
}

it('closes a connection whose server no longer responds, however much is written', async () => {
  respond = () => undefined;
  const socket = await open();
  const writing = setInterval(() => socket.write('again'), LIMIT_MS / 10);
  expect(await closed(socket)).toBe(`Redis sent nothing for ${LIMIT_MS} ms`);
  clearInterval(writing);
});

it('closes none that waits for no response', async () => {
  respond = (accepted) => void accepted.write('response');
  const [used, unused] = [await open(), await open()];
  used.write('command');
  await once(used, 'data');
  respond = () => undefined;
  // Two that are closed, one after the other, outlast the limit of the others.
  for (let time = 0; time < 2; time++) {
    const silent = await open();
    silent.write('command');
    await closed(silent);
  }
  expect([used.destroyed, unused.destroyed]).toEqual([false, false]);
});

it('counts from the first command without a response', async () => {
  respond = (accepted) => void accepted.write('response');
  const socket = await open();
  socket.write('command');
  await once(socket, 'data');
  respond = () => undefined;
  const startedAt = performance.now();
  socket.write('command');
  await closed(socket);
  expect(performance.now() - startedAt).toBeGreaterThan(LIMIT_MS - 10);
});

it('reads a response that came while the process was busy', async () => {
  respond = (accepted) => {
    accepted.write('response');
    const until = performance.now() + 2 * LIMIT_MS;
    while (performance.now() < until);
  };
  const socket = await open();
  socket.write('command');
  await once(socket, 'data');
  respond = () => undefined;
  const silent = await open();
  silent.write('command');
  await closed(silent);
  expect(socket.destroyed).toBe(false);
});
