import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually, settledWithin } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

/** Many times the second that a command of Redis may take, and a small part of the two minutes of `AWAIT_RESULT`. */
const MUCH_SOONER_MS = 20_000;

function send(client: TestClient) {
  return client.post<SendResponse>('/api/send', EMAIL);
}

describe('a Redis that hangs', () => {
  it('delays sends only briefly, and every email is delivered once when Redis continues', async () => {
    const redis = await PrivateRedis.start();
    const service = await TestService.start({ environment: { REDIS_URL: redis.url, ...AWAIT_RESULT } });
    try {
      const client = await service.organization();
      expect((await send(client)).status).toBe(200);
      redis.freeze();
      for (let round = 0; round < 4; round++) {
        const sends = Promise.all(Array.from({ length: 10 }, () => send(client)));
        const statuses = (await settledWithin(MUCH_SOONER_MS, sends)).map(({ status }) => status);
        expect(statuses).toEqual(Array<number>(10).fill(202));
      }
      redis.thaw();
      await eventually(async () => {
        const [row] = await service.database.query<{ sent: number }>(
          `select count(*)::integer as sent from emails where status = 'sent'`,
        );
        return row!.sent === 41;
      }, 60_000);
      expect(service.mailServer.messages).toHaveLength(41);
    } finally {
      redis.thaw();
      await service.stop();
      await redis.remove();
    }
  });
});

describe('a Postgres that hangs', () => {
  it('causes 503 with Retry-After, and no email is lost once it continues', async () => {
    const beside = await TestService.start({ environment: { ROLES: 'flusher' } });
    const cable = await TcpProxy.before(new URL(beside.settings.DATABASE_URL));
    const settings = { ...beside.settings, DATABASE_URL: cable.through(beside.settings.DATABASE_URL) };
    const service = await TestService.start({
      beside: { settings, mailServer: beside.mailServer },
      environment: AWAIT_RESULT,
    });
    try {
      const organization = await beside.organization();
      const client = service.client(organization.organizationId, organization.apiKey);
      expect((await send(client)).status).toBe(200);
      cable.hold();
      // It responds while Postgres still hangs, and before load balancers give up, which many do after a minute.
      const { status, headers } = await settledWithin(60_000, client.get('/api/campaigns'));
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      cable.release();
      await eventually(async () => (await send(client)).status === 200, 20_000);
    } finally {
      cable.release();
      await service.stop();
      await beside.stop();
      await cable.goDown();
    }
  });
});
