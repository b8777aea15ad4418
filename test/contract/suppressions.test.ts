import fc from 'fast-check';
import { SUPPRESSION_REASONS } from '../../src/events/recipient-event.js';
import type { SuppressionView } from '../../src/suppressions/suppression-view.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

interface List {
  readonly suppressions: SuppressionView[];
}

function store(address: string, reason: string, createdAt = '2026-03-01T09:30:00.000Z'): Promise<unknown> {
  return service.database.query(
    `insert into suppressions (organization_id, address_key, reason, address, created_at)
     values ($1, lower($2), $3, $2, $4)`,
    [client.organizationId, address, reason, createdAt],
  );
}

async function list(query = ''): Promise<string[]> {
  const { body } = await client.get<List>(`/api/suppressions${query}`);
  return body.suppressions.map(({ address }) => address);
}

describe('POST /api/suppressions', () => {
  it('responds with 201, and how many addresses were new and how many known', async () => {
    const addresses = ['b@example.com', 'B@Example.com', 'c@example.com'];
    const first = await client.post('/api/suppressions', { address: 'a@example.com', addresses, note: 'Asked' });
    expect(first).toMatchObject({ status: 201, body: { added: 3, known: 1 } });
    const second = await client.post('/api/suppressions', { addresses: ['A@example.com', 'd@example.com'] });
    expect(second).toMatchObject({ status: 201, body: { added: 1, known: 1 } });
    expect((await client.get('/api/suppressions/a@example.com')).body).toEqual({
      ...{ address: 'a@example.com', reason: 'manual', scope: 'all', emailId: null, note: 'Asked' },
      createdAt: expect.stringMatching(/Z$/),
    });
    expect((await client.get('/api/suppressions/D@EXAMPLE.COM')).body).toMatchObject({ note: null });
  });

  it('accepts 1,000 addresses of any valid length, and no more', async () => {
    const long = (n: number) => `${String(n).padStart(60, 'x')}@${'long.'.repeat(30)}example.com`;
    const addresses = Array.from({ length: 1_000 }, (_, n) => long(n));
    const response = await client.post('/api/suppressions', { addresses });
    expect(response).toMatchObject({ status: 201, body: { added: 1_000, known: 0 } });
    const tooMany = await client.post('/api/suppressions', { addresses: [...addresses, 'one@example.com'] });
    expect(tooMany).toMatchObject({ status: 400, body: { details: [{ field: 'addresses' }] } });
  });

  it('accepts a name beside the address, and null for absent fields', async () => {
    const body = { address: 'Ada <ada@bücher.example>', addresses: null, reason: null, note: null };
    expect((await client.post('/api/suppressions', body)).status).toBe(201);
    expect(await list()).toEqual(['ada@xn--bcher-kva.example']);
    expect((await client.get(`/api/suppressions/${encodeURIComponent('ADA@bücher.example')}`)).status).toBe(200);
  });

  it.each([
    [{}, 'address'],
    [{ addresses: [] }, 'address'],
    [{ address: 'nobody' }, 'address'],
    [{ addresses: ['a@example.com', 'a@b@c'] }, 'addresses.1'],
    [{ addresses: 'a@example.com' }, 'addresses'],
    [{ addresses: ['a@example.com', null] }, 'addresses'],
    [{ address: 'a@example.com', reason: 'complaint' }, 'reason'],
    [{ address: 'a@example.com', note: 'x'.repeat(1_001) }, 'note'],
  ])('refuses %j and stores nothing', async (body, field) => {
    const response = await client.post('/api/suppressions', body);
    expect(response).toMatchObject({ status: 400, body: { error: expect.any(String), details: [{ field }] } });
    expect(await list()).toEqual([]);
  });
});

describe('GET /api/suppressions', () => {
  it('is newest first, in pages without gaps or repeats, even of equal times', async () => {
    const times = ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.001Z'];
    for (let n = 0; n < 12; n++) {
      await store(`r${n}@example.com`, 'bounce', times[n % 2]);
      if (n % 3 === 0) await store(`r${n}@example.com`, 'unsubscribe', times[n % 2]);
      if (n % 4 === 0) await store(`r${n}@example.com`, 'complaint', times[(n / 4) % 2]);
    }
    const seen: SuppressionView[] = [];
    for (let path: string | undefined = '/api/suppressions?limit=5'; path;) {
      const response: ApiResponse<List> = await client.get<List>(path);
      seen.push(...response.body.suppressions);
      path = nextPage(response.headers);
    }
    expect(new Set(seen.map(({ address }) => address)).size).toBe(12);
    expect(seen).toHaveLength(12);
    const keys = seen.map(({ createdAt, address }) => `${createdAt} ${address}`);
    expect(keys).toEqual([...keys].sort().reverse());
  });

  it('has one entry per address: the strongest reason, the widest scope', async () => {
    const anyReasons = fc.uniqueArray(fc.constantFrom(...SUPPRESSION_REASONS), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(anyReasons, async (reasons) => {
        client = await service.organization();
        for (const [at, reason] of reasons.entries())
          await store('a@x.example', reason, `2026-03-01T09:30:0${at}.000Z`);
        const reason = SUPPRESSION_REASONS.find((one) => reasons.includes(one))!;
        const scope = reasons.some((one) => one !== 'unsubscribe') ? 'all' : 'marketing';
        const { body } = await client.get<List>('/api/suppressions');
        const createdAt = `2026-03-01T09:30:0${reasons.indexOf(reason)}.000Z`;
        expect(body.suppressions).toEqual([
          expect.objectContaining({ address: 'a@x.example', reason, scope, createdAt }),
        ]);
        expect((await client.get('/api/suppressions/a@x.example')).body).toEqual(body.suppressions[0]);
        for (const one of SUPPRESSION_REASONS)
          expect(await list(`?reason=${one}`)).toEqual(one === reason ? ['a@x.example'] : []);
      }),
      { numRuns: 20 },
    );
  });

  it('finds part of an address, ignoring case, with or without a reason', async () => {
    await store('Ada@Example.com', 'bounce');
    await store('grace_h@example.org', 'complaint');
    expect(await list('?search=A@EXAMPLE')).toEqual(['Ada@Example.com']);
    expect(await list('?search=_')).toEqual(['grace_h@example.org']);
    expect(await list('?search=%25')).toEqual([]);
    expect(await list('?search=example&reason=bounce')).toEqual(['Ada@Example.com']);
    expect(await list('?search=')).toHaveLength(2);
  });

  it.each(['reason=none', 'reason=', 'reason=bounce&reason=manual', 'search=a&search=b', 'limit=0', 'cursor=x'])(
    'refuses ?%s',
    async (query) => {
      const response = await client.get(`/api/suppressions?${query}`);
      expect(response).toMatchObject({ status: 400, body: { details: [{ field: query.split('=')[0] }] } });
    },
  );
});

describe('GET /api/suppressions/:address of a person who was erased', () => {
  it('shows the reason for which sends are refused, although a weaker entry was added since', async () => {
    await service.database.query(
      `insert into erased_suppressions (organization_id, address_hash, reason)
       values ($1, person_hash($1, 'ada@example.com'), 'complaint')`,
      [client.organizationId],
    );
    const read = async () => (await client.get('/api/suppressions/Ada@example.com')).body;
    expect(await read()).toMatchObject({ address: 'ada@example.com', reason: 'complaint', scope: 'all', note: null });
    await store('ada@example.com', 'unsubscribe');
    expect(await read()).toMatchObject({ reason: 'complaint', scope: 'all' });
    const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const sent = await client.post('/api/send', email);
    expect(sent).toMatchObject({ status: 422, body: { details: [{ message: expect.stringContaining('complaint') }] } });
    await store('Ada@example.com', 'complaint');
    expect(await read()).toMatchObject({ address: 'Ada@example.com', createdAt: '2026-03-01T09:30:00.000Z' });
  });
});

describe('DELETE /api/suppressions/:address', () => {
  it('removes all reasons and resets the series of soft bounces; an unknown address is 404', async () => {
    await store('a@example.com', 'bounce');
    await store('a@example.com', 'unsubscribe');
    await store('b@example.com', 'bounce');
    const resets = () =>
      service.database.query<{ address_key: string; reset_at: Date }>(
        'select address_key, reset_at from soft_bounce_resets where organization_id = $1',
        [client.organizationId],
      );
    expect((await client.delete('/api/suppressions/A@EXAMPLE.com')).status).toBe(204);
    expect(await list()).toEqual(['b@example.com']);
    const [first, ...others] = await resets();
    expect([first!.address_key, others]).toEqual(['a@example.com', []]);
    for (const address of ['a@example.com', 'never@example.com', '%00', 'nobody'])
      expect((await client.delete(`/api/suppressions/${address}`)).status).toBe(404);
    expect(await resets()).toEqual([first]);
    await store('a@example.com', 'bounce');
    await client.delete('/api/suppressions/a@example.com');
    expect((await resets())[0]!.reset_at.getTime()).toBeGreaterThan(first!.reset_at.getTime());
    expect((await client.get('/api/suppressions/a@example.com')).status).toBe(404);
  });
});

describe("a contact's status", () => {
  it('is the strongest of its suppressions and ignores manual entries', async () => {
    const address = 'ada@example.com';
    await client.post('/api/emails', { to: address, subject: 'S', htmlContent: '<p>x</p>' });
    const status = async () => (await client.get<{ status: string }>(`/api/contacts/${address}`)).body.status;
    const seen = [await status()];
    for (const reason of ['manual', 'unsubscribe', 'bounce', 'complaint']) {
      await store(address, reason);
      seen.push(await status());
    }
    expect(seen).toEqual(['active', 'active', 'unsubscribed', 'bounced', 'complained']);
  });
});
