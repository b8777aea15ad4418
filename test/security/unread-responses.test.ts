import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let hostile: TestClient;
let other: TestClient;
const sockets: Socket[] = [];

beforeAll(async () => {
  // The smallest limit: an organization may hold one body of the largest size. Its reads wait for no connection.
  const environment = { ROLES: 'api', REQUEST_BODIES_MB: '10', DATABASE_POOL_SIZE: '20' };
  service = await TestService.start({ environment });
  [hostile, other] = [await service.organization(), await service.organization()];
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => service?.stop());

/** Requests a page without reading the response. */
function requestOnly(path: string, times = 1): Socket {
  const socket = connect(service.settings.PORT, '127.0.0.1').on('error', () => undefined);
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${hostile.apiKey}\r\n\r\n`;
  socket.pause().write(request.repeat(times));
  sockets.push(socket);
  return socket;
}

const link = `<a href="https://example.com/${'x'.repeat(8_000)}">x</a>`;

/** @returns the path of an email whose page has about 25 KB for each link */
const emailWith = (links: number, client = hostile) => emailOf(link.repeat(links), client);

async function emailOf(htmlContent: string, client = hostile): Promise<string> {
  const email = { to: 'reader@example.com', subject: 'S', htmlContent };
  return `/api/emails/${String((await client.post('/api/emails', email)).body.id)}`;
}

async function heldBytes(): Promise<number> {
  const text = await service.metrics.getSingleMetricAsString('mailbeacon_http_body_bytes');
  return Number(/kind="held"\} (\d+)/.exec(text)![1]);
}

it('an organization that does not read its large responses gets no more of them, and others do', async () => {
  const path = await emailWith(600);
  for (let n = 0; n < 4; n++) requestOnly(path);
  const refused = await eventually(async () => {
    const response = await hostile.get(path);
    return response.status !== 200 && response;
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await hostile.get('/api/campaigns')).status).toBe(200);
  expect((await other.get(await emailWith(100, other))).status).toBe(200);
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(async () => (await hostile.get(path)).status === 200);
});

it('forgets responses that nobody will read, also those behind another one and those that come too late', async () => {
  const path = await emailWith(200);
  requestOnly(path, 4);
  await eventually(async () => (await heldBytes()) > 0);
  for (const delayMs of [0, 1, 2, 5, 10, 20]) {
    const socket = requestOnly(path);
    await setTimeout(delayMs);
    socket.destroy();
  }
  expect((await hostile.get(path)).status).toBe(200);
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(async () => (await heldBytes()) === 0);
});

it('refuses them in the usual format', async () => {
  const path = `${await emailOf('x'.repeat(4_500_000))}/preview`;
  for (let n = 0; n < 8; n++) requestOnly(path);
  const { headers, body } = await eventually(async () => {
    const response = await hostile.get(path);
    return response.status === 429 && response;
  });
  expect([headers.get('content-type'), body]).toEqual([
    'application/json; charset=utf-8',
    { error: expect.stringMatching(/unread responses/) },
  ]);
});
