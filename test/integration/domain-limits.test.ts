import type { DomainView } from '../../src/domains/domain-view.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', DOMAIN_CREATIONS_PER_HOUR: '3' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const add = (domain: string, by = client) => by.post<DomainView>('/api/domains', { domain });

it('limits how many domains an organization adds an hour, including deleted ones, and affects no other organization', async () => {
  const { body: first } = await add('one.test');
  expect(await add('two.test')).toMatchObject({ status: 201 });
  // A request that is refused for another reason does not count.
  expect(await add('two.test')).toMatchObject({ status: 409 });
  expect(await add('not a domain')).toMatchObject({ status: 400 });
  await client.delete(`/api/domains/${first.id}`);
  expect(await add('three.test')).toMatchObject({ status: 201 });
  const { status, headers, body } = await add('four.test');
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(60);
  expect(body).toMatchObject({ error: expect.stringMatching(/^An organization can add 3 domains an hour: try again/) });
  const other = await service.organization();
  expect(await add('four.test', other)).toMatchObject({ status: 201 });
  const { body: list } = await client.get<{ domains: DomainView[] }>('/api/domains');
  expect(list.domains.map(({ domain }) => domain)).toEqual(['three.test', 'two.test']);
});

it('limits how often a domain is verified per minute, in any spelling of its ID, without affecting other domains', async () => {
  const other = await service.organization();
  const [one, two] = [await add('first.test', other), await add('second.test', other)];
  const verify = async (id: string) => (await other.post(`/api/domains/${id}/verify`)).status;
  const spellings = [one.body.id, one.body.id.toUpperCase()];
  const statuses = await Promise.all(Array.from({ length: 8 }, (_, index) => verify(spellings[index % 2]!)));
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  expect(await verify(two.body.id)).toBe(200);
});
