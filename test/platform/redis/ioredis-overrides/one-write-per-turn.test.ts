import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { oneWritePerTurn } from '../../../../src/platform/redis/ioredis-overrides/one-write-per-turn.js';

let server: Server;
let socket: Socket;
let accepted: Socket;
/** The number of pieces of each write to the operating system. */
let writes: number[];

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = once(server, 'connection');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  [accepted] = (await connection) as [Socket];
  writes = [];
  const { _write, _writev } = socket;
  socket._write = function (...written) {
    writes.push(1);
    _write.apply(this, written);
  };
  socket._writev = function (chunks, done) {
    writes.push(chunks.length);
    _writev!.call(this, chunks, done);
  };
  oneWritePerTurn(socket);
});

afterEach(() => {
  socket.destroy();
  accepted.destroy();
  server.close();
});

async function received(length: number): Promise<string> {
  let text = '';
  for await (const chunk of accepted) {
    text += String(chunk);
    if (text.length >= length) break;
  }
  return text;
}

it('writes the commands of one turn together, in their order, including those from promises', async () => {
  const text = received(6);
  socket.write('a');
  await Promise.all(['b', 'c'].map((letter) => Promise.resolve().then(() => socket.write(letter))));
  socket.write('d');
  await new Promise(setImmediate);
  expect(writes).toEqual([4]);
  socket.write('ef');
  expect(await text).toBe('abcdef');
  expect(writes).toEqual([4, 1]);
});

it('holds back no command before the end of the connection', async () => {
  const text = received(2);
  socket.write('a');
  socket.end('b');
  expect(await text).toBe('ab');
});
