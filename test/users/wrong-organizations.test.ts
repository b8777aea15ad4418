import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { bucketKey } from '../../src/platform/redis/token-buckets.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(() => service?.stop());

it('limits requests of a session that name organizations of others, and no right ones', async () => {
  const { organizationId } = await service.organization();
  const browser = await signedIn(service, await newUser(service, organizationId, 'viewer'));
  const naming = async (id: string) => (await browser.get('/api/campaigns', { 'x-organization': id })).status;
  await leaveTokens(25);
  const statuses = new Set<number>();
  for (let sent = 0; sent < 5_000 && !statuses.has(429); sent += 10) {
    for (const status of await Promise.all(Array.from({ length: 10 }, () => naming(randomUUID()))))
      statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([403, 429]);
  expect(await naming(organizationId)).toBe(200);
});

/** Otherwise a busy machine would send no faster than tokens return, and never reach the limit. */
async function leaveTokens(count: number): Promise<void> {
  const redis = new Redis(service.settings.REDIS_URL);
  const fullInMs = 60_000 - count * 100;
  await redis.set(bucketKey('wrong-keys:127.0.0.1'), Date.now() + fullInMs, 'PX', fullInMs);
  redis.disconnect();
}
