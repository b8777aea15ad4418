import { jest } from '@jest/globals';
import type { DomainView } from '../../src/domains/domain-view.js';
import { ALL_PAUSED_KEY } from '../../src/emails/delivery/provider-pause-key.js';
import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { DnsServer } from '../support/dns-server.js';
import { DomainOwner } from '../support/domain-owner.js';
import { TestService, type TestClient } from '../support/service.js';

const AHEAD_MS = 20 * 86_400_000;
const { now } = Date;

let dns: DnsServer;
let service: TestService;
let ahead: TestService;
let here: TestClient;
let domain: DomainView;
/** The same organization at a process whose clock is ahead. */
let there: TestClient;

/** @returns a domain that is verified, and whose record has just disappeared */
async function losing(owner: DomainOwner): Promise<DomainView> {
  const added = await owner.addOwned('acme.test');
  expect(added).toMatchObject({ status: 'verified' });
  dns.zone.clear();
  return owner.verify(added);
}

beforeAll(async () => {
  dns = await DnsServer.listen();
  const environment = { ROLES: 'api', DNS_SERVERS: dns.address };
  service = await TestService.start({ environment });
  here = await service.organization();
  domain = await losing(new DomainOwner(here, dns));
  jest.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD_MS);
  ahead = await TestService.start({ beside: service, environment });
  there = ahead.client(here.organizationId, here.apiKey);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await ahead?.stop();
  await service?.stop();
  await dns?.close();
});

describe('A process whose clock is days ahead', () => {
  it('leaves a domain verified whose record has just disappeared', async () => {
    expect(domain).toMatchObject({ status: 'verified' });
    expect(await new DomainOwner(there, dns).verify(domain)).toMatchObject({ status: 'verified' });
    const [row] = await service.database.query<{ wrong: boolean }>(
      `select greatest(checked_at, missing_since, recheck_at) > now() + interval '2 days' as wrong from sending_domains`,
    );
    expect(row).toEqual({ wrong: false });
  });

  it('shows when sending is tried again by the clock of all others', async () => {
    const redis = connectForBlocking(service.settings.REDIS_URL);
    try {
      await redis.set(ALL_PAUSED_KEY, 'throttled', 'PX', 60_000);
      const { body } = await there.get<SendingStateView>('/api/sending');
      expect(body.provider.state).toBe('throttled');
      expect(Math.abs(Date.parse(body.provider.until!) - now())).toBeLessThan(120_000);
      await redis.del(ALL_PAUSED_KEY);
    } finally {
      redis.disconnect();
    }
  });
});
