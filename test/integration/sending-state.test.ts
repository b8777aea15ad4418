import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { ALL_PAUSED_KEY } from '../../src/emails/delivery/provider-pause-key.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { TestGuards } from '../support/sending-guards.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let guards: TestGuards;
let redis: RedisConnection;

beforeAll(async () => {
  service = await TestService.start({
    environment: { ROLES: 'api', GUARD_MIN_SENT: '10', GUARD_COMPLAINT_WARN: '1', GUARD_SLOW_PER_MINUTE: '7' },
  });
  guards = TestGuards.beside(service);
  redis = connectForBlocking(service.settings.REDIS_URL);
  await eventually(() => redis.status === 'ready');
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(async () => {
  redis?.disconnect();
  await guards?.stop();
  await service?.stop();
});

async function stateOf(of = client): Promise<SendingStateView> {
  const { status, body } = await of.get<SendingStateView>('/api/sending');
  expect(status).toBe(200);
  return body;
}

/** Sets how many emails the organization has sent and how many bounced. */
function count(domain: string, hoursAgo: number, sent: number, bounced: number, complained = 0) {
  return service.database.query(
    `insert into sending_rates (organization_id, hour, domain, sent, bounced, complained)
     values ($1, date_trunc('hour', now() - $2 * interval '1 hour', 'UTC'), $3, $4, $5, $6)`,
    [client.organizationId, hoursAgo, domain, sent, bounced, complained],
  );
}

describe('GET /api/sending', () => {
  it('shows an organization that sent nothing yet', async () => {
    expect(await stateOf()).toEqual({
      ...{ state: 'normal', reason: null, since: null, emailsPerMinute: null, exceeded: [] },
      rates: [1, 24, 168].map((hours) => ({
        ...{ hours, sent: 0, bounced: 0, complained: 0, bounceRate: 0, complaintRate: 0 },
      })),
      limits: {
        minSent: 10,
        bounced: { warned: 0.05, slowed: 0.075, paused: 0.1 },
        complained: { warned: null, slowed: 0.002, paused: 0.003 },
      },
      provider: { state: 'available', until: null },
    });
  });

  it('shows the rates of each window and the resulting state, but nothing of other organizations', async () => {
    await count('acme.example', 5, 100, 8, 1);
    await count('small.example', 5, 9, 9);
    await count('acme.example', 50, 100, 0);
    await count('acme.example', 200, 1_000, 1_000);
    await guards.evaluate();
    const { rates, exceeded, state, reason, since, emailsPerMinute } = await stateOf();
    expect(rates.map(({ sent, bounced, complained }) => [sent, bounced, complained])).toEqual([
      [0, 0, 0],
      [109, 17, 1],
      [209, 17, 1],
    ]);
    expect(rates[1]).toMatchObject({ bounceRate: 17 / 109, complaintRate: 1 / 109 });
    expect({ state, emailsPerMinute }).toEqual({ state: 'paused', emailsPerMinute: null });
    expect(reason).toContain('of 109 recipients bounced within the last 24 hours');
    expect(Date.now() - Date.parse(since!)).toBeGreaterThanOrEqual(-60_000);
    expect(exceeded).toEqual([
      { fact: 'bounced', domain: null, hours: 24, sent: 109, count: 17, rate: 17 / 109, limit: 0.1 },
    ]);
    await guards.setState(client, 'slowed');
    expect(await stateOf()).toMatchObject({ state: 'slowed', emailsPerMinute: 7 });
    const other = await service.organization();
    expect(await stateOf(other)).toMatchObject({ state: 'normal', reason: null, exceeded: [] });
    expect((await stateOf(other)).rates.map(({ sent }) => sent)).toEqual([0, 0, 0]);
  });

  it('names the domain whose rate has reached a limit', async () => {
    await count('good.example', 0, 1_000, 0);
    await count('bad.example', 0, 20, 1);
    expect((await stateOf()).exceeded.map(({ domain, hours }) => [domain, hours])).toEqual([
      ['bad.example', 1],
      ['bad.example', 24],
      ['bad.example', 168],
    ]);
  });

  it.each(['throttled', 'credential-refused', 'failing'] as const)(
    'shows that the provider is %s, and until when',
    async (cause) => {
      const key = ALL_PAUSED_KEY;
      await redis.set(key, cause, 'PX', 3_600_000);
      const { provider } = await stateOf();
      expect(provider.state).toBe(cause);
      expect(Date.parse(provider.until!)).toBeGreaterThan(Date.now() + 1_800_000);
      await redis.del(key);
      expect((await stateOf()).provider).toEqual({ state: 'available', until: null });
    },
  );
});
