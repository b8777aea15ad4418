import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

/** Many times the second that a command of Redis may take, and a small part of the two minutes of `AWAIT_RESULT`. */
const MUCH_SOONER_MS = 20_000;

const IN_A_DAY = (): string => new Date(Date.now() + 86_400_000).toISOString();

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  return { result: await work(), ms: performance.now() - startedAt };
}

function send(client: TestClient, more: object = {}) {
  return client.post<SendResponse>('/api/send', { ...EMAIL, ...more });
}

function timedSends(client: TestClient, count: number, more: object = {}) {
  return Promise.all(Array.from({ length: count }, () => timed(() => send(client, more))));
}

const leastMs = (requests: readonly { ms: number }[]): number => Math.min(...requests.map(({ ms }) => ms));

describe('a Redis that hangs', () => {
  it('delays sends only briefly, and every email is delivered once when Redis continues', async () => {
    const redis = await PrivateRedis.start();
    const service = await TestService.start({ environment: { REDIS_URL: redis.url, ...AWAIT_RESULT } });
    try {
      const client = await service.organization();
      expect((await send(client)).status).toBe(200);
      redis.freeze();
      for (let round = 0; round < 4; round++) {
        // Scheduled emails are stored alike but not queued, so they take what a busy machine takes without Redis.
        const [sends, scheduled] = await Promise.all([
          timedSends(client, 10),
          timedSends(client, 10, { sendAt: IN_A_DAY() }),
        ]);
        expect(sends.map(({ result }) => result.status)).toEqual(Array<number>(10).fill(202));
        // A busy machine delays both, and some of them more. Sends that waited for their results would take two minutes.
        expect(leastMs(sends) - leastMs(scheduled)).toBeLessThan(MUCH_SOONER_MS);
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
      const { result, ms } = await timed(() => client.get('/api/campaigns'));
      expect([result.status, result.headers.get('retry-after')]).toEqual([503, '5']);
      expect(ms).toBeLessThan(60_000);
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
