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
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  // The next test would otherwise be refused what it is to hold.
  await eventually(async () => (await heldBytes()) === 0);
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

const LARGE = 9_000_000;

/**
 * @returns the path of a response that is larger than the kernel's buffers, and that takes no time to build. Stored
 *   directly: accepting this template would render it, which a busy machine refuses after ten seconds.
 */
async function largeTemplate(): Promise<string> {
  const id = await idOf(hostile.post('/api/templates', { name: 'T', subject: 'S', htmlContent: 'x' }));
  const html = '"'.repeat(LARGE / 2);
  await service.database.query('update template_versions set html_content = $2 where template_id = $1', [id, html]);
  return `/api/templates/${id}`;
}

async function idOf(created: Promise<{ readonly body: unknown }>): Promise<string> {
  const { body } = await created;
  expect(body).toEqual(expect.objectContaining({ id: expect.any(String) }));
  return (body as { id: string }).id;
}

/** @returns the path of an email of which each link takes 30 KB. Stored directly, like the template. */
async function emailWith(links: number, client = hostile): Promise<string> {
  const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<a href="https://example.com/">x</a>' };
  const id = await idOf(client.post('/api/emails', email));
  await service.database.query(
    `update email_links set urls = array_fill('https://example.com/' || repeat('x', 8000), array[$2::int])
      where email_id = (select id from emails where id::text = $1 or tracking_id = $1)`,
    [id, links],
  );
  return `/api/emails/${id}`;
}

/** @returns the path of a page of 6 MB that takes long to build */
const slowPage = () => emailWith(200);

async function heldBytes(): Promise<number> {
  const text = await service.metrics.getSingleMetricAsString('mailbeacon_http_body_bytes');
  return Number(/kind="held"\} (\d+)/.exec(text)![1]);
}

it('an organization that does not read its large responses gets no more of them, and others do', async () => {
  const path = await largeTemplate();
  // The limit has room for three. One after the other, because a busy machine may open no further connections in time.
  for (let held = 1; held <= 3; held++) {
    requestOnly(path);
    await eventually(async () => (await heldBytes()) > held * LARGE);
  }
  const refused = await hostile.get(path);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(refused.body).toEqual({ error: expect.stringMatching(/unread responses/) });
  expect((await hostile.get('/api/campaigns')).status).toBe(200);
  expect((await other.get(await emailWith(5, other))).status).toBe(200);
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(async () => (await hostile.get(path)).status === 200);
});

it('forgets responses that nobody will read, also those behind another one and those that come too late', async () => {
  const path = await slowPage();
  requestOnly(path, 4);
  await eventually(async () => (await heldBytes()) > 0);
  for (const delayMs of [0, 1, 2, 5, 10, 20]) {
    const socket = requestOnly(path);
    await setTimeout(delayMs);
    socket.destroy();
  }
  await eventually(async () => (await hostile.get(path)).status === 200);
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(async () => (await heldBytes()) === 0);
});
