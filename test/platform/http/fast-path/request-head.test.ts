import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import {
  HeaderNames,
  NodeHead,
  PlainHead,
  type RequestHead,
} from '../../../../src/platform/http/fast-path/request-head.js';
import { readPlainGet } from '../../../../src/platform/http/fast-path/parse-get.js';

const wanted = new HeaderNames(['user-agent', 'accept-language', 'x-moz', 'x-forwarded-for', 'x-purpose']);

let server: Server;
let read: (head: RequestHead) => void;

beforeEach(async () => {
  server = createServer((request, response) => {
    read(new NodeHead(request));
    response.writeHead(200, { connection: 'close' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

async function readByNode(text: string): Promise<RequestHead> {
  return new Promise((resolve, reject) => {
    read = resolve;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket
      .on('error', reject)
      .on('close', () => reject(new Error('Node refused the request')))
      .resume();
    socket.write(text, 'latin1');
  });
}

const name = fc.constantFrom(...wanted.names, 'User-Agent', 'ACCEPT-LANGUAGE', 'X-Other', 'xx-moz', 'Accept', 'x-mox');
const value = fc.stringMatching(/^[\t !-~\x80-\xff]{0,12}$/);

it('reads the same headers from a text as node:http does, repeated ones as well', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 12 }), async (headers) => {
      const lines = headers.map((header) => `${header.join(':')}\r\n`).join('');
      const plain = readPlainGet(Buffer.from(`GET /a HTTP/1.1\r\nHost: test\r\n${lines}\r\n`, 'latin1'), '/')!;
      const expected = (await readByNode(plain.head)).read(wanted);
      expect(new PlainHead(plain.head, {}).read(wanted)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

it('names the other end of the connection', async () => {
  const head = await readByNode('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
  expect(head.peer).toBe('127.0.0.1');
  expect(new PlainHead('', { remoteAddress: '192.0.2.1' }).peer).toBe('192.0.2.1');
});
