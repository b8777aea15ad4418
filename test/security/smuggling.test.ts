import { rawRequest } from '../support/raw-http.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

/** A second request that the server would process if it misread the end of the first one. */
const hidden = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n';

const EDGE = '/api/t/o/x';

describe('V20: a request whose end is ambiguous is 400, and its connection is closed', () => {
  const shapes: [string, string[], string][] = [
    ['a Content-Length behind a space', ['host: x', ' content-length: 5'], hidden],
    ['Content-Length and Transfer-Encoding', ['content-length: 6', 'transfer-encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['Transfer-Encoding and Content-Length', ['transfer-encoding: chunked', 'content-length: 6'], `0\r\n\r\n${hidden}`],
    ['two Content-Lengths', ['content-length: 0', 'content-length: 40'], hidden],
    ['a list as Content-Length', ['content-length: 0, 40'], hidden],
    ['a signed Content-Length', ['content-length: +5'], hidden],
    ['a negative Content-Length', ['content-length: -1'], hidden],
    ['a space before the colon', ['transfer-encoding : chunked'], `0\r\n\r\n${hidden}`],
    [
      'a Transfer-Encoding that does not end in chunked',
      ['transfer-encoding: chunked, identity'],
      `0\r\n\r\n${hidden}`,
    ],
    ['an unknown Transfer-Encoding', ['transfer-encoding: xchunked'], `0\r\n\r\n${hidden}`],
    ['a broken chunk size', ['transfer-encoding: chunked'], `0x5\r\nhello\r\n0\r\n\r\n${hidden}`],
    ['a chunk longer than it says', ['transfer-encoding: chunked'], `1\r\nhello\r\n0\r\n\r\n${hidden}`],
    ['a folded header', ['x-folded: a', ' content-length: 5'], hidden],
    ['a control character in a header', ['x-nul: a\0b'], hidden],
    ['no host', [], hidden],
    ['two hosts', ['Host: y'], hidden],
    ['the same host twice', ['host: x'], hidden],
  ];

  it.each(shapes)('%s', async (name, headers, rest) => {
    const lines = name === 'no host' ? headers : ['host: x', ...headers];
    for (const target of ['/api/send', EDGE]) {
      const head = [`POST ${target} HTTP/1.1`, `x-api-key: ${client.apiKey}`, 'content-type: application/json'];
      expectOneRefusal(await rawRequest(service.settings.PORT, [...head, ...lines, '', rest].join('\r\n')), target);
    }
  });

  it.each([0, 2_100])('two hosts of a pixel, of the health and of metrics, %d fields apart', async (fields) => {
    const operatorPort = Number(new URL(service.operatorAddress).port);
    for (const [port, target, ...more] of [
      [service.settings.PORT, EDGE],
      [service.settings.PORT, '/health/live'],
      [operatorPort, '/metrics', 'connection: close'],
    ] as const) {
      const between = Array<string>(fields).fill('a:');
      const lines = [`GET ${target} HTTP/1.1`, 'host: localhost', ...between, 'host: localhost', ...more];
      expectOneRefusal(await rawRequest(port, [...lines, '', ''].join('\r\n')), target);
    }
  });

  it('lines that end in a bare line feed', async () => {
    const lines = ['POST /api/send HTTP/1.1', 'host: x', 'content-length: 0', '', hidden];
    expectOneRefusal(await rawRequest(service.settings.PORT, lines.join('\n')), '/api/send');
  });

  it('headers of 64 KB are 431', async () => {
    const head = `GET /health/live HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(64 * 1024)}\r\n\r\n`;
    expect(await rawRequest(service.settings.PORT, head)).toMatch(/^HTTP\/1\.1 431 /);
  });

  /** rawRequest has resolved, so the server has closed the connection. */
  function expectOneRefusal(response: string, target: string): void {
    const statuses = (response.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => line.slice(-3)).join();
    // The tracking edge refuses the method of a tracking address before it reads how the body ends.
    expect([target, statuses]).toEqual([
      target,
      expect.stringMatching(target === EDGE ? /^(400|405|405,400)$/ : /^400$/),
    ]);
    expect(response).not.toContain('"live"');
    expect(response).not.toMatch(/ at |node:|\/src\/|HPE_/);
  }
});
