import { PrivateRedis } from '../support/private-redis.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

const PER_MINUTE = 30;

let service: TestService;
let redis: PrivateRedis;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  service = await TestService.start({
    environment: { ROLES: 'api,tracking', REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) },
  });
});
afterAll(async () => {
  await service?.stop();
  await redis?.remove();
});

const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

describe('the limits of an email', () => {
  let client: TestClient;
  beforeAll(async () => (client = await service.organization()));

  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `r${at}@example.com`);
  const bytes = (count: number) => ({ a: 'x'.repeat(count - '{"a":""}'.length) });
  const links = (count: number) => '<a href="https://example.com/">x</a>'.repeat(count);

  it.each([
    ['50 recipients', { to: [...addresses(50), 'R1@example.com'] }],
    ['a subject of 998 characters', { subject: 'x'.repeat(998) }],
    ['5 MB of HTML', { htmlContent: 'x'.repeat(5 * 1024 * 1024) }],
    ['metadata of 10,000 bytes', { metadata: bytes(10_000) }],
  ])('allow %s', async (_what, fields) => {
    expect((await client.post('/api/emails', { ...email, ...fields })).status).toBe(200);
  });

  it.each([
    ['51 recipients', 'to', /at most 50/, { to: addresses(51) }],
    ['a subject of 999 characters', 'subject', /at most 998/, { subject: 'x'.repeat(999) }],
    ['5 MB and a byte of HTML', 'htmlContent', /at most 5 MB/, { htmlContent: 'x'.repeat(5 * 1024 * 1024 + 1) }],
    ['metadata of 10,001 bytes', 'metadata', /at most 10000 bytes/, { metadata: bytes(10_001) }],
  ])('refuse %s, naming the field and the limit', async (_what, field, message, fields) => {
    const { status, body } = await client.post('/api/emails', { ...email, ...fields });
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field }] } });
    expect(body.error).toMatch(message);
  });

  it('allow 1,000 tracked links and leave further ones unchanged', async () => {
    const { body } = await client.post<{ links: unknown[]; htmlContent: string }>('/api/emails', {
      ...email,
      htmlContent: links(1_002),
    });
    expect(body.links).toHaveLength(1_000);
    expect(body.htmlContent.split('href="https://example.com/"')).toHaveLength(2 + 1);
  });
});

describe('the rate limit', () => {
  const list = (client: TestClient): Promise<ApiResponse<unknown>> => client.get('/api/campaigns');

  it('applies per organization: 429 with Retry-After, announced by RateLimit headers', async () => {
    const client = await service.organization();
    const responses: ApiResponse<unknown>[] = [];
    while (responses.length < PER_MINUTE + 20 && responses.at(-1)?.status !== 429) responses.push(await list(client));
    const [first, refused] = [responses[0]!, responses.at(-1)!];
    expect(first.headers.get('ratelimit-policy')).toBe(`"default";q=${PER_MINUTE};w=60`);
    expect(first.headers.get('ratelimit')).toBe(`"default";r=${PER_MINUTE - 1};t=2`);
    expect(first.headers.get('ratelimit-limit')).toBe(String(PER_MINUTE));
    expect(first.headers.get('ratelimit-remaining')).toBe(String(PER_MINUTE - 1));
    expect(first.headers.get('ratelimit-reset')).toBe('2');
    expect(first.headers.get('retry-after')).toBeNull();

    expect(responses.length).toBeGreaterThan(PER_MINUTE);
    expect(refused).toMatchObject({ status: 429, body: { error: expect.any(String) } });
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=[12]$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(2);
    expect(refused.headers.get('x-request-id')).toBeTruthy();

    const { body } = await (await service.organization()).post<{ key: string }>('/api/keys', {});
    expect((await list(service.client('', body.key))).status).toBe(200);
    expect((await fetch(`${service.address}/health/live`)).status).toBe(200);
    for (let open = 0; open < PER_MINUTE + 10; open++) {
      const pixel = await service.track(`${service.address}/api/t/o/anything`);
      expect(pixel.status).toBe(200);
      expect(pixel.headers.get('ratelimit')).toBeNull();
    }
  });

  it('is shared by all keys of an organization', async () => {
    const client = await service.organization();
    const { body } = await client.post<{ key: string }>('/api/keys', {});
    const keys = [client, service.client('', body.key)];
    let passed = 0;
    while (passed < 2 * PER_MINUTE && (await list(keys[passed % 2]!)).status === 200) passed++;
    expect(passed).toBeLessThan(1.5 * PER_MINUTE);
  });

  it('stays in force in each process while Redis hangs, and delays no request', async () => {
    const client = await service.organization();
    await list(client);
    redis.freeze();
    try {
      const responses: ApiResponse<unknown>[] = [];
      while (responses.length < 2 * PER_MINUTE && responses.at(-1)?.status !== 429) responses.push(await list(client));
      expect(responses.length).toBeGreaterThanOrEqual(PER_MINUTE);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(responses.length - 1);
      expect(Number(responses.at(-1)!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    } finally {
      redis.thaw();
    }
  });
});
