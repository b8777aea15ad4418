import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const HEALS_WITHIN_MS = 30_000;

/** Two servers that replicate, behind an address that connects new clients to one of them. */
let first: PrivateRedis;
let second: PrivateRedis;
let address: TcpProxy;
let service: TestService;

const follow = (server: PrivateRedis, primary: PrivateRedis) =>
  server.command('REPLICAOF', '127.0.0.1', new URL(primary.url).port);

const hasSynced = (replica: PrivateRedis) =>
  eventually(async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up'));

/** Fails over as managed services do by plan: the old primary becomes a replica, and its connections stay open. */
async function failOver(from: PrivateRedis, to: PrivateRedis): Promise<void> {
  await to.command('REPLICAOF', 'NO', 'ONE');
  address.leadTo(new URL(to.url));
  await follow(from, to);
}

beforeAll(async () => {
  [first, second] = await Promise.all([PrivateRedis.start(), PrivateRedis.start()]);
  await follow(second, first);
  await hasSynced(second);
  address = await TcpProxy.before(new URL(first.url));
  service = await TestService.start({ environment: { REDIS_URL: address.through(first.url) } });
});

afterAll(async () => {
  await service?.stop();
  await address?.goDown();
  await Promise.all([first?.remove(), second?.remove()]);
});

it('a failover that keeps connections to the old primary open interrupts the service only briefly', async () => {
  const client = await service.organization();
  const send = () => client.post<SendResponse>('/api/send', EMAIL);
  const before = await sendMessage(client, service.mailServer, EMAIL);

  await failOver(first, second);
  const responses = await Promise.all(Array.from({ length: 20 }, send));
  expect(responses.every(({ status }) => status === 200 || status === 202)).toBe(true);
  for (let open = 0; open < 10; open++) expect((await service.track(before.response.pixelUrl)).status).toBe(200);

  await eventually(() => service.mailServer.messages.length >= 21, HEALS_WITHIN_MS);
  await eventually(async () => {
    const [row] = await service.database.query<{ opens: number }>('select sum(opens)::int as opens from emails');
    return row!.opens === 10;
  }, HEALS_WITHIN_MS);
  // The API receives results again: otherwise every send responds after SEND_RESPONSE_TIMEOUT_MS.
  await eventually(async () => {
    const begun = performance.now();
    const { status } = await send();
    return status === 200 && performance.now() - begun < service.settings.SEND_RESPONSE_TIMEOUT_MS;
  }, HEALS_WITHIN_MS);
  expect((await fetch(`${service.address}/health/ready`)).status).toBe(200);
  expect(new Set(service.mailServer.messages.map(({ emailId }) => emailId)).size).toBe(
    service.mailServer.messages.length,
  );
});
