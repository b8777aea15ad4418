import { jest } from '@jest/globals';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { TestService } from '../support/service.js';

const DAY_MS = 86_400_000;
const LIMIT = 1;
const environment = { ROLES: 'api', BUDGET_EMAILS_PER_DAY: `free=${LIMIT}` };

let service: TestService;
let ahead: TestService | undefined;
beforeAll(async () => void (service = await TestService.start({ environment })));
afterAll(async () => {
  jest.restoreAllMocks();
  await ahead?.stop();
  await service?.stop();
});

it('an API process whose clock is a day ahead counts emails for the same day as all others', async () => {
  const client = await service.organization('free');
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const send = async (by = client) => (await by.post('/api/send', email, { prefer: 'respond-async' })).status;
  expect([await send(), await send()]).toEqual([202, 429]);
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + DAY_MS);
  ahead = await TestService.start({ beside: service, environment });
  const there = ahead.client(client.organizationId, client.apiKey);
  expect(await send(there)).toBe(429);
  const { emailsPerDay } = (await there.get<UsageView>('/api/usage')).body.budgets;
  expect(emailsPerDay.used).toBe(LIMIT);
});
