import { get } from 'node:http';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', TRUSTED_PROXIES: '127.0.0.9' } });
  client = await service.organization();
  expect(await works(client.apiKey)).toBe(200);
});
afterAll(() => service?.stop());

async function works(key: string): Promise<number> {
  return (await service.client('', key).get('/api/campaigns')).status;
}

describe('wrong keys', () => {
  it('limits guesses per network address, and affects no other', async () => {
    const guess = (at: number) => works(`mb_AAAAAAAAAAAA_${String(at).padStart(32, '0')}`);
    let refused = 0;
    for (let at = 0; at < 5_000; at += 50) {
      const statuses = await Promise.all(Array.from({ length: 50 }, (_, offset) => guess(at + offset)));
      refused += statuses.filter((status) => status === 401).length;
      if (statuses.includes(429)) break;
    }
    expect(refused).toBeGreaterThanOrEqual(600 - 12);
    expect(refused).toBeLessThan(5_000);
    expect(await works(client.apiKey)).toBe(200);
    // More at once than the tokens that are refilled meanwhile.
    const wrong = Array.from({ length: 50 }, () => service.client('', 'mb_wrong').get('/api/campaigns'));
    const { headers } = (await Promise.all(wrong)).find(({ status }) => status === 429)!;
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('ratelimit-policy')).toBe('"default";q=600;w=60');
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['600', '0']);
    // More than the tokens that are refilled meanwhile.
    const elsewhere = await Promise.all(Array.from({ length: 100 }, () => guessFrom('127.0.0.2')));
    expect(elsewhere.filter((status) => status !== 401)).toEqual([]);
  });

  it('counts keys in the header Authorization, too', async () => {
    const headers = { authorization: `Bearer ${client.apiKey}` };
    const send = async () => (await fetch(`${service.address}/api/campaigns`, { headers })).status;
    const sendMany = () => Promise.all(Array.from({ length: 50 }, send));
    await eventually(async () => (await sendMany()).includes(429), 60_000);
  });

  it('never refuses a valid key, even one that the process sees for the first time', async () => {
    const guess = (at: number) => works(`mb_BBBBBBBBBBBB_${String(at).padStart(32, '0')}`);
    await eventually(async () => (await guess(0)) === 429, 60_000);
    const others = await Promise.all(Array.from({ length: 3 }, () => service.organization()));
    for (const { apiKey } of others) {
      // The guesses come first, so that they take the tokens.
      const guesses = Array.from({ length: 20 }, (_, at) => guess(at));
      expect(await works(apiKey)).toBe(200);
      expect(await Promise.all(guesses)).toContain(429);
    }
  });

  it('looks up the keys of an address that has sent too many wrong ones in one batch', async () => {
    const guess = (at: number) => works(`mb_C${String(at).padStart(11, '0')}_${'0'.repeat(32)}`);
    await eventually(async () => (await guess(0)) === 429, 60_000);
    const pool = await service.database.pool.connect();
    try {
      await pool.query('begin; lock table api_keys in access exclusive mode');
      const guesses = Array.from({ length: 100 }, (_, at) => guess(at + 1));
      await eventually(async () => (await waitingLookUps()) > 0);
      // Other work that needs Postgres gets connections; that many guesses would hold all of them.
      const responses = await Promise.all(Array.from({ length: 20 }, () => service.database.query('select 1')));
      expect(responses).toHaveLength(20);
      expect(await waitingLookUps()).toBe(1);
      await pool.query('rollback');
      const statuses = await Promise.all(guesses);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(80);
    } finally {
      await pool.query('rollback');
      pool.release();
    }
  });

  it('counts the addresses of an IPv6 network together, because one client can use them all', async () => {
    let refused = 0;
    for (let at = 0; at < 5_000; at += 50) {
      const addresses = Array.from({ length: 50 }, (_, offset) => `2001:db8::${(at + offset).toString(16)}`);
      const statuses = await Promise.all(addresses.map((address) => guessFrom('127.0.0.9', address)));
      refused += statuses.filter((status) => status === 401).length;
      if (statuses.includes(429)) break;
    }
    expect(refused).toBeLessThan(5_000);
    expect(await guessFrom('127.0.0.9', '2001:db8:0:1::1')).toBe(401);
  });

  async function waitingLookUps(): Promise<number> {
    const [row] = await service.database.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%from api_keys k%'`,
    );
    return row!.count;
  }

  /** Sends a request from another network address with an unknown key. */
  function guessFrom(localAddress: string, forwardedFor?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const { PORT: port } = service.settings;
      const key = { 'x-api-key': `mb_AAAAAAAAAAAA_${'A'.repeat(32)}` };
      const headers = { ...key, ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) };
      get({ port, host: '127.0.0.1', localAddress, path: '/api/campaigns', headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      }).on('error', reject);
    });
  }
});
