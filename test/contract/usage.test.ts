import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { TestService } from '../support/service.js';

const DAY_MS = 86_400_000;

/** One setting for each budget, with its limit for the plan of the test. */
const LIMITS = {
  emailsPerDay: ['BUDGET_EMAILS_PER_DAY', 11],
  storedBytes: ['BUDGET_STORED_BYTES', 12_000_000],
  renderSecondsPerMinute: ['BUDGET_RENDER_SECONDS_PER_MINUTE', 13],
  eventsPerEmailPerMinute: ['BUDGET_EVENTS_PER_EMAIL_PER_MINUTE', 14],
  domains: ['BUDGET_DOMAINS', 15],
  webhooks: ['BUDGET_WEBHOOKS', 9],
} as const satisfies Record<keyof UsageView['budgets'], readonly [string, number]>;

it('Budgets per plan, all settable, and `GET /api/usage` reports what is used of each and when it renews', async () => {
  const settings = Object.values(LIMITS).map(([setting, limit]) => [setting, `pro=${limit}`]);
  const service = await TestService.start({
    environment: { ROLES: 'api', ...(Object.fromEntries(settings) as Record<string, string>) },
  });
  try {
    const [client, other] = [await service.organization('pro'), await service.organization('pro')];
    await other.post('/api/domains', { domain: 'other.example' });
    await client.post('/api/domains', { domain: 'shop.example' });
    const email = { from: 'a@shop.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const sendAt = new Date(Date.now() + 60_000).toISOString();
    expect((await client.post('/api/send', { ...email, sendAt })).status).toBe(202);
    const { status, body } = await client.get<UsageView>('/api/usage');
    expect([status, body.plan]).toEqual([200, 'pro']);
    const { budgets } = body;
    expect(Object.fromEntries(Object.entries(budgets).map(([name, { limit }]) => [name, limit]))).toEqual(
      Object.fromEntries(Object.entries(LIMITS).map(([name, [, limit]]) => [name, limit])),
    );
    expect(budgets.domains).toEqual({ used: 1, limit: 15, renewsAt: null });
    expect(budgets.webhooks).toEqual({ used: 0, limit: 9, renewsAt: null });
    expect(budgets.storedBytes.used).toBeGreaterThan(0);
    expect(Date.parse(budgets.emailsPerDay.renewsAt!) % DAY_MS).toBe(0);
  } finally {
    await service.stop();
  }
});

it('A budget that allows more items than an organization can have, or any number, has the limit of every organization', async () => {
  const service = await TestService.start({ environment: { ROLES: 'api', BUDGET_WEBHOOKS: '16' } });
  try {
    const client = await service.organization('pro');
    const { budgets } = (await client.get<UsageView>('/api/usage')).body;
    expect([budgets.domains.limit, budgets.webhooks.limit]).toEqual([100, 10]);
  } finally {
    await service.stop();
  }
});
