import { TestService, type TestClient } from '../support/service.js';

const ALLOWED = { 'x-forwarded-for': '192.0.2.7' };
const OTHER = { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' };

let service: TestService;
let client: TestClient;

async function start(environment: Record<string, string>, allowedAddresses = ['192.0.2.0/24']): Promise<TestClient> {
  service = await TestService.start({ environment: { ROLES: 'api', ...environment } });
  const owner = await service.organization();
  const { body } = await owner.post<{ key: string }>('/api/keys', { allowedAddresses });
  return service.client(owner.organizationId, body.key);
}

const statusOf = async (headers: Record<string, string>) => (await client.get('/api/campaigns', headers)).status;

afterEach(() => service?.stop());

it("a key for some networks works from there through a trusted proxy, regardless of the client's own headers", async () => {
  client = await start({ TRUSTED_PROXIES: '127.0.0.0/8,::1' });
  expect(await statusOf(ALLOWED)).toBe(200);
  expect(await statusOf({ forwarded: 'for="192.0.2.7:4711"' })).toBe(200);
  expect(await statusOf(OTHER)).toBe(403);
  expect(await statusOf({})).toBe(403);
});

it('a key for the network of the proxies works for no client that hides the element of its proxy behind a quote', async () => {
  client = await start({ TRUSTED_PROXIES: '127.0.0.0/8,::1' }, ['127.0.0.0/8', '::1']);
  expect(await statusOf({ forwarded: 'for=198.51.100.1' })).toBe(403);
  expect(await statusOf({ forwarded: 'for=", for=198.51.100.1' })).toBe(403);
});

it('forwarding headers are ignored when no proxy is trusted', async () => {
  client = await start({});
  expect(await statusOf(ALLOWED)).toBe(403);
  expect(await statusOf({ forwarded: 'for=192.0.2.7' })).toBe(403);
});
