import { providerPauseKey } from '../../../src/emails/delivery/provider-pause-key.js';
import type { OrganizationProviderView } from '../../../src/organizations/providers/provider-view.js';
import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { addProvider } from '../../support/own-providers.js';
import { TestService, type TestClient } from '../../support/service.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

const HOUR_MS = 3_600_000;
let service: TestService;
let client: TestClient;
let redis: RedisConnection;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
  redis = connectForBlocking(service.settings.REDIS_URL);
  await eventually(() => redis.status === 'ready');
});
afterAll(async () => {
  redis?.disconnect();
  await service?.stop();
});

const states = async (by = client) => {
  const { body } = await by.get<{ providers: OrganizationProviderView[] }>('/api/providers');
  return body.providers.map(({ name, state, pausedUntil }) => ({ name, state, pausedUntil }));
};

it('are those of the pauses that workers share, each of its own provider', async () => {
  const ids = new Map<string, string>();
  for (const name of ['free', 'throttled', 'credential-refused']) {
    const { id } = await addProvider(client, 'resend', name);
    ids.set(name, id);
    if (name !== 'free') await redis.set(providerPauseKey(`${id}.1`), name, 'PX', HOUR_MS);
  }
  const [refused, throttled, free] = await states();
  expect(free).toEqual({ name: 'free', state: 'available', pausedUntil: null });
  for (const paused of [refused!, throttled!]) {
    expect(paused).toEqual({ name: paused.name, state: paused.name, pausedUntil: expect.any(String) });
    const remainingMs = Date.parse(paused.pausedUntil!) - Date.now();
    expect(remainingMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(remainingMs).toBeLessThan(HOUR_MS + 60_000);
    const id = ids.get(paused.name)!;
    const one = await client.get<OrganizationProviderView>(`/api/providers/${id}`);
    expect(one.body.state).toBe(paused.name);
    const changed = await client.patch(`/api/providers/${id}`, { weight: 1 });
    expect(changed.body).toMatchObject({ state: 'available', pausedUntil: null });
  }
});

it('are unknown while Redis does not respond', async () => {
  const cable = await TcpProxy.before(new URL(service.settings.REDIS_URL));
  const REDIS_URL = cable.through(service.settings.REDIS_URL);
  const beside = await TestService.start({ beside: service, environment: { ROLES: 'api', REDIS_URL } });
  try {
    const by = await service.organization();
    await addProvider(by, 'resend', 'main');
    const there = beside.client(by.organizationId, by.apiKey);
    expect(await states(there)).toEqual([{ name: 'main', state: 'available', pausedUntil: null }]);
    await cable.goDown();
    expect(await states(there)).toEqual([{ name: 'main', state: 'unknown', pausedUntil: null }]);
    expect((await addProvider(there, 'smtp', 'backup')).state).toBe('unknown');
    await cable.comeUp();
    await eventually(async () => (await states(there)).every(({ state }) => state === 'available'));
  } finally {
    await beside.stop();
    await cable.goDown();
  }
});
