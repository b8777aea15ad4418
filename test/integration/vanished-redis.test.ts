import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const HEALS_WITHIN_MS = 30_000;
/** Longer than a short command and its connection may wait for a response. */
const IDLE_SECONDS = 6;

/** A primary and its replica, behind an address that follows the primary. */
let primary: PrivateRedis;
let replica: PrivateRedis;
let address: TcpProxy;
let service: TestService;

beforeAll(async () => {
  [primary, replica] = await Promise.all([PrivateRedis.start(), PrivateRedis.start()]);
  await replica.command('REPLICAOF', '127.0.0.1', new URL(primary.url).port);
  await eventually(async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up'));
  address = await TcpProxy.before(new URL(primary.url));
  service = await TestService.start({ environment: { REDIS_URL: address.through(primary.url) } });
});

afterAll(async () => {
  await service?.stop();
  await address?.goDown();
  await Promise.all([primary?.remove(), replica?.remove()]);
});

/** The ages of the connections of the service, in seconds. */
async function connectionAges(): Promise<number[]> {
  const list = String(await primary.command('CLIENT', 'LIST', 'TYPE', 'NORMAL'))
    .trim()
    .split('\n');
  return list.filter((line) => !line.includes('cmd=client|list')).map((line) => Number(/\bage=(\d+)/.exec(line)![1]));
}

/** The primary's host loses its power: nothing closes the connections to it, and its replica takes over. */
async function vanish(): Promise<void> {
  address.strand();
  await primary.kill();
  await replica.command('REPLICAOF', 'NO', 'ONE');
  address.leadTo(new URL(replica.url));
}

it('keeps the connections of an idle service', async () => {
  await eventually(async () => {
    const ages = await connectionAges();
    return ages.length > 0 && Math.min(...ages) >= IDLE_SECONDS;
  });
});

it('replaces connections to a host that vanished without closing them', async () => {
  const client = await service.organization();
  const send = () => client.post<SendResponse>('/api/send', EMAIL);
  const before = await sendMessage(client, service.mailServer, EMAIL);

  await vanish();
  expect((await service.track(before.response.pixelUrl)).status).toBe(200);
  expect([200, 202]).toContain((await send()).status);

  await eventually(() => service.mailServer.messages.length === 2, HEALS_WITHIN_MS);
  await eventually(async () => {
    const [row] = await service.database.query<{ opens: number }>('select sum(opens)::int as opens from emails');
    return row!.opens === 1;
  }, HEALS_WITHIN_MS);
  await eventually(async () => (await fetch(`${service.address}/health/ready`)).status === 200, HEALS_WITHIN_MS);
  // The API receives results again, instead of responding after SEND_RESPONSE_TIMEOUT_MS.
  await eventually(async () => (await send()).status === 200, HEALS_WITHIN_MS);
});
