import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import fc from 'fast-check';
import {
  StaticResponse,
  NodeReply,
  type FastPathHandler,
  type Reply,
} from '../../../../src/platform/http/fast-path/static-response.js';
import { FastPath } from '../../../../src/platform/http/fast-path/fast-path.js';
import { readPlainGet } from '../../../../src/platform/http/fast-path/parse-get.js';
import { eventually } from '../../../support/eventually.js';

const RESPONSE = new StaticResponse(200, ['Content-Type', 'text/plain', 'Content-Length', '5'], 'early');
const plain = (target = '/early/1', headers = '') => `GET ${target} HTTP/1.1\r\nHost: test\r\n${headers}\r\n`;

let server: Server;
let lane: FastPath;
let socket: Socket;
let received: string;
/** The requests that node:http got: method, target and body. */
let ordinary: string[];
let handler: FastPathHandler;

beforeEach(async () => {
  ordinary = [];
  handler = (_method, _target, reply) => {
    reply.send(RESPONSE, 'X-Way', 'lane');
    return true;
  };
  lane = new FastPath('/early/', (...request) => handler(...request));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      ordinary.push(`${request.method} ${request.url} ${body}`.trim());
      new NodeReply(response).send(RESPONSE, 'X-Way', 'node');
    });
  });
  lane.open(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await dial();
});

afterEach(async () => {
  socket.destroy();
  lane.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function dial(): Promise<void> {
  received = '';
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  await once(socket, 'connect');
}

const ways = () => [...received.matchAll(/X-Way: (\w+)/g)].map(([, way]) => way);

describe('the fast path', () => {
  it('responds to plain requests like node:http, over one connection', async () => {
    socket.write(plain());
    await eventually(() => received.endsWith('early'));
    const [ours] = [received];
    socket.write(plain());
    await eventually(() => ways().length === 2);
    await dial();
    socket.write(plain('/other'));
    await eventually(() => received.endsWith('early'));
    expect(linesOf(ours)).toEqual(linesOf(received.replace('X-Way: node', 'X-Way: lane')));
    expect(ordinary).toEqual(['GET /other']);
  });

  it.each([
    ['another method', 'HEAD /early/1 HTTP/1.1\r\nHost: test\r\n\r\n', 'HEAD /early/1'],
    ['a body', 'POST /early/1 HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\nhi', 'POST /early/1 hi'],
    ['a GET with a body', `${plain('/early/1', 'Content-Length: 2\r\n')}hi`, 'GET /early/1 hi'],
    ['a chunked body', `${plain('/early/1', 'Transfer-Encoding: chunked\r\n')}2\r\nhi\r\n0\r\n\r\n`, 'GET /early/1 hi'],
    ['the wish to close', plain('/early/1', 'Connection: close\r\n'), 'GET /early/1'],
    ['an older version', 'GET /early/1 HTTP/1.0\r\nHost: test\r\n\r\n', 'GET /early/1'],
    ['a long request', plain('/early/1', `X-Long: ${'x'.repeat(15_990)}\r\n`), 'GET /early/1'],
  ])('passes %s to node:http', async (_what, request, seen) => {
    socket.write(request, 'latin1');
    await eventually(() => ordinary.length === 1);
    expect(ordinary).toEqual([seen]);
    expect(ways()).not.toContain('lane');
  });

  it('passes a request that arrives in pieces to node:http, with every byte', async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    await dial();
    const [serverSide] = await accepted;
    socket.write(plain().slice(0, 20));
    await eventually(() => serverSide.bytesRead === 20);
    socket.write(plain().slice(20));
    await eventually(() => ordinary.length === 1);
    expect(ordinary).toEqual(['GET /early/1']);
  });

  it('responds to pipelined requests in order, and drops none', async () => {
    let first!: Reply;
    handler = (_method, _target, reply) => {
      first = reply;
      return true;
    };
    socket.write(plain());
    await eventually(() => first !== undefined);
    socket.write(plain('/early/2') + plain('/early/3'));
    first.send(RESPONSE, 'X-Way', 'lane');
    await eventually(() => ways().length === 3);
    expect(ways()).toEqual(['lane', 'node', 'node']);
    expect(ordinary).toEqual(['GET /early/2', 'GET /early/3']);
  });

  it('passes a request that the handler does not handle to node:http', async () => {
    handler = () => false;
    socket.write(plain());
    await eventually(() => ordinary.length === 1);
  });

  it('closes idle connections at once and others with their response', async () => {
    const idle = socket;
    const idleEnded = once(idle, 'close');
    await eventually(async () => (await connections()) === 1);
    let reply!: Reply;
    handler = (_method, _target, given) => {
      reply = given;
      return true;
    };
    await dial();
    socket.write(plain());
    await eventually(() => reply !== undefined);
    const ended = once(socket, 'close');
    lane.close();
    await idleEnded;
    reply.send(RESPONSE, 'X-Way', 'lane');
    await ended;
    expect(received).toContain('Connection: close');
    expect(received.endsWith('early')).toBe(true);
  });

  it('ends a connection that stays silent', async () => {
    server.headersTimeout = 50;
    await dial();
    await once(socket, 'close');
    expect(received).toBe('');
  });
});

describe('a plain request', () => {
  const noise = fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    ':',
    '\0',
    'Content-Length: 3',
    'Host: a',
    'GET / HTTP/1.1',
    'é',
  );

  it('is never one that Node would refuse or parse differently', async () => {
    handler = () => false;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(80), noise), { minLength: 1, maxLength: 3 }), async (changes) => {
        let text = plain('/early/1', 'Accept: */*\r\nUser-Agent: a b\r\n');
        for (const [at, what] of changes) text = text.slice(0, at) + what + text.slice(at);
        const target = readPlainGet(Buffer.from(text, 'latin1'), '/early/')?.target;
        if (target === undefined) return;
        ordinary = [];
        await dial();
        socket.write(text, 'latin1');
        await eventually(() => ways().length > 0 || received.includes('HTTP/1.1 400'));
        expect([ways(), ordinary]).toEqual([['node'], [`GET ${target}`]]);
        socket.destroy();
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['two requests', plain() + plain()],
    ['no host', 'GET /early/1 HTTP/1.1\r\nAccept: */*\r\n\r\n'],
    ['a space before a colon', plain('/early/1', 'Content-Length : 2\r\n')],
    ['a folded line', plain('/early/1', 'X-A: 1\r\n 2\r\n')],
    ['bare line feeds', plain().replaceAll('\r\n', '\n')],
    ['an upgrade', plain('/early/1', 'Connection: upgrade\r\nUpgrade: websocket\r\n')],
    ['connection options', plain('/early/1', 'Connection: keep-alive, close\r\n')],
    ['an absolute target', plain('http://test/early/1')],
    ['another target', plain('/other')],
  ])('is not %s', (_what, text) => {
    expect(readPlainGet(Buffer.from(text, 'latin1'), '/early/')).toBeUndefined();
  });
});

/** Without the parts that differ between responses, in any order. */
function linesOf(response: string): string[] {
  return response
    .replace(/Date: .*\r\n/, 'Date: now\r\n')
    .split('\r\n')
    .sort();
}

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
