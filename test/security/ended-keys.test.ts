import { Redis } from 'ioredis';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { bucketKey } from '../../src/platform/redis/token-buckets.js';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { LiveEvents } from '../support/live-events.js';
import { newUser, PASSWORD } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

const TIMEOUT_MS = 60_000;
/** The clock of the API process, which the tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

describe('an open live connection', () => {
  it('ends when its key expires, and the connections of other keys do not', async () => {
    const expiresAt = new Date(clock.now() + 600_000).toISOString();
    const { body } = await client.post<{ key: string }>('/api/keys', { scopes: ['read'], expiresAt });
    const [other, live] = [await LiveEvents.follow(service, client.apiKey), await LiveEvents.follow(service, body.key)];
    elapsedMs += 600_001;
    await eventually(() => live.hasEnded, TIMEOUT_MS);
    expect(other.hasEnded).toBe(false);
    other.close();
  });

  it('ends when its organization is suspended', async () => {
    const live = await LiveEvents.follow(service, client.apiKey);
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    elapsedMs += 4_900;
    await eventually(() => live.hasEnded, TIMEOUT_MS);
  });
});

describe('an address with too many failed sign-ins', () => {
  it('is not treated as another one because of a header', async () => {
    const redis = new Redis(service.settings.REDIS_URL);
    try {
      // The state that these failures leave, for so long that it does not expire during a slow test.
      await redis.set(bucketKey('sign-in:network:127.0.0.1'), String(Date.now() + 86_400_000));
      const { email } = await newUser(service, client.organizationId, 'owner');
      let claimed = 0;
      // The password is correct: only the limit of the network blocks it. While Redis is late, a few pass.
      await eventually(async () => {
        const address = `203.0.113.${++claimed % 250}`;
        const forged = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
        const { status } = await new Browser(service).post('/api/session', { email, password: PASSWORD }, forged);
        return status === 429;
      }, TIMEOUT_MS);
    } finally {
      redis.disconnect();
    }
  });
});

describe('the audit log', () => {
  const HOSTILE = ['=cmd|calc', '\u009b2J', '\u202e', '<script>', 'jane@hostile.example'];

  it('contains no text of a request that a terminal, a spreadsheet or a page would execute', async () => {
    for (const text of HOSTILE) {
      // Headers carry bytes.
      const requestId = Buffer.from(text).toString('latin1');
      const headers = { 'x-request-id': requestId };
      expect((await client.post('/api/campaigns', { name: `Sale ${text}` }, headers)).status).toBeLessThan(500);
      expect((await client.post('/api/keys', { name: `Key ${text}` }, headers)).status).toBeLessThan(500);
      expect((await client.post('/api/domains', { domain: `${text}.example` }, headers)).status).toBeLessThan(500);
    }
    const logged = await Promise.all(
      ['csv', 'ndjson'].map((format) =>
        fetch(`${service.address}/api/audit/export?format=${format}`, { headers: { 'x-api-key': client.apiKey } }).then(
          (response) => response.text(),
        ),
      ),
    );
    expect(logged.join('')).toContain('key.created');
    for (const text of HOSTILE) {
      expect(logged.filter((one) => one.includes(text))).toEqual([]);
      expect(logged.filter((one) => one.includes(Buffer.from(text).toString('latin1')))).toEqual([]);
    }
  });
});
