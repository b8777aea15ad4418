import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let secondProcess: TestService;
let client: TestClient;

const environment = {
  ROLES: 'api',
  BUDGET_DOMAINS: 'free=3,pro=5',
  BUDGET_WEBHOOKS: 'free=4,pro=5',
  DOMAIN_CREATIONS_PER_HOUR: '0',
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
};

beforeAll(async () => {
  service = await TestService.start({ environment });
  secondProcess = await TestService.start({ beside: service, environment });
});
beforeEach(async () => {
  client = await service.organization('free');
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

const usage = async () => (await client.get<UsageView>('/api/usage')).body.budgets;
const atSecond = () => secondProcess.client(client.organizationId, client.apiKey);
const hook = { url: 'http://127.0.0.1:9/', events: ['BUDGET_WARNING'] };

describe('Budgets per plan: domains, webhooks', () => {
  it('Over the limit: 403 that names the budget, even with two processes at the same time', async () => {
    const domains = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        (n % 2 === 0 ? client : atSecond()).post<{ error?: string }>('/api/domains', { domain: `d${n}.acme.example` }),
      ),
    );
    expect(domains.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    expect(domains.find(({ status }) => status === 403)!.body.error).toBe(
      'The budget of domains is used up: the plan free allows 3, and it does not renew: delete something first',
    );
    const webhooks = await Promise.all(
      Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? client : atSecond()).post('/api/webhooks', hook)),
    );
    expect(webhooks.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 403, 403]);
    const { domains: used, webhooks: hooks } = await usage();
    expect([used, hooks]).toEqual([
      { used: 3, limit: 3, renewsAt: null },
      { used: 4, limit: 4, renewsAt: null },
    ]);
  });

  it('a deleted item frees its share of the budget', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await client.post<{ id: string }>('/api/webhooks', hook)).body.id);
    expect((await client.post('/api/webhooks', hook)).status).toBe(403);
    expect((await client.delete(`/api/webhooks/${ids[0]}`)).status).toBe(204);
    expect((await usage()).webhooks.used).toBe(3);
    expect((await client.post('/api/webhooks', hook)).status).toBe(201);
  });

  it('Warnings at 80 %: once, and again after the number fell below', async () => {
    client = await service.organization('pro');
    const warnings = async () => {
      const rows = await service.database.query<{ body: string }>(
        `select distinct d.body from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
          where w.organization_id = $1`,
        [client.organizationId],
      );
      return rows.map(({ body }) => (JSON.parse(body) as { data: object }).data);
    };
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await client.post<{ id: string }>('/api/webhooks', hook)).body.id);
    expect(await warnings()).toEqual([]);
    ids.push((await client.post<{ id: string }>('/api/webhooks', hook)).body.id);
    const warning = { budget: 'webhooks', used: 4, limit: 5, renewsAt: null };
    expect(await warnings()).toEqual([warning]);
    await client.post('/api/webhooks', hook);
    expect(await warnings()).toEqual([warning]);
    for (const id of ids.slice(0, 3)) await client.delete(`/api/webhooks/${id}`);
    await client.post('/api/webhooks', hook);
    expect(await warnings()).toHaveLength(1);
    await client.post('/api/webhooks', hook);
    expect(await warnings()).toHaveLength(2);
  });
});
