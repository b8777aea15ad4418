import { readPlainGet } from '../../../../src/platform/http/fast-path/parse-get.js';

const PREFIX = '/api/t/';

function read(text: string): string | undefined {
  return readPlainGet(Buffer.from(text, 'latin1'), PREFIX)?.target;
}

const request = (line: string, ...headers: string[]) => [line, 'Host: a', ...headers, '', ''].join('\r\n');
const plain = request('GET /api/t/o/x HTTP/1.1');

it.each([
  ['a plain request', plain],
  [
    'other headers, also with bytes beyond ASCII',
    request('GET /api/t/o/x HTTP/1.1', 'User-Agent: caf\xe9', 'X-Empty:'),
  ],
  ['a host behind other headers', 'GET /api/t/o/x HTTP/1.1\r\nX-Host: b\r\nHostel: c\r\nHOST: a\r\n\r\n'],
  ['a connection that stays', request('GET /api/t/o/x HTTP/1.1', 'Connection: keep-alive')],
])('reads %s', (_what, text) => {
  expect(read(text)).toBe('/api/t/o/x');
});

it.each([
  ['another method', request('HEAD /api/t/o/x HTTP/1.1')],
  ['another path', request('GET /api/send HTTP/1.1')],
  ['another version', request('GET /api/t/o/x HTTP/1.0')],
  ['no host', 'GET /api/t/o/x HTTP/1.1\r\nX-Host: a\r\n\r\n'],
  ['two hosts', request('GET /api/t/o/x HTTP/1.1', 'User-Agent: x', 'hOST: a')],
  ['a body', `${request('GET /api/t/o/x HTTP/1.1', 'Content-Length: 1')}x`],
  ['the announcement of a body', request('GET /api/t/o/x HTTP/1.1', 'content-length: 0')],
  ['chunks', request('GET /api/t/o/x HTTP/1.1', 'Transfer-Encoding: chunked')],
  ['an upgrade', request('GET /api/t/o/x HTTP/1.1', 'Upgrade: h2c')],
  ['an expectation', request('GET /api/t/o/x HTTP/1.1', 'Expect: 100-continue')],
  ['a connection that ends', request('GET /api/t/o/x HTTP/1.1', 'Connection: close')],
  ['a second request behind it', plain + plain],
  ['a part of a request', plain.slice(0, -2)],
  ['line feeds alone', plain.replaceAll('\r\n', '\n')],
  ['a folded header', request('GET /api/t/o/x HTTP/1.1', 'X-A: b', ' c')],
  ['a blank before a colon', request('GET /api/t/o/x HTTP/1.1', 'Content-Length : 1')],
  ['a control character', request('GET /api/t/o/x HTTP/1.1', 'X-A: \x01')],
  ['a blank in the target', request('GET /api/t/o/x y HTTP/1.1')],
  ['more than 16,000 bytes', request('GET /api/t/o/x HTTP/1.1', `X-A: ${'a'.repeat(16_000)}`)],
])('leaves %s to node:http', (_what, text) => {
  expect(read(text)).toBeUndefined();
});
