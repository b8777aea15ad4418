import { randomBytes } from 'node:crypto';
import { StorageMeasurements } from '../../src/organizations/budgets/measure-storage.js';
import { Organizations } from '../../src/organizations/organizations.js';
import { Plans } from '../../src/organizations/plans.js';
import { systemClock } from '../../src/platform/clock/clock.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({
    environment: {
      ...{ ROLES: 'api', BUDGET_STORED_BYTES: 'free=1000000' },
      ...{ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', WEBHOOK_ALLOW_HTTP: 'true' },
    },
  });
  client = await service.organization('free');
});
afterAll(() => service?.stop());

async function store(bytes: number): Promise<void> {
  const htmlContent = randomBytes(bytes / 2).toString('hex');
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent };
  expect((await client.post('/api/send', email, { prefer: 'respond-async' })).status).toBe(202);
}

async function warnings(): Promise<number> {
  const rows = await service.database.query(
    'select 1 from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id where w.organization_id = $1',
    [client.organizationId],
  );
  return rows.length;
}

it('an organization is warned again after content was deleted, and after a change of its plan', async () => {
  const { database } = service;
  await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['BUDGET_WARNING'] });
  for (let n = 0; n < 9; n++) await store(100_000);
  expect(await warnings()).toBe(1);
  await database.query(
    'delete from email_contents c using emails e where e.id = c.email_id and e.organization_id = $1',
    [client.organizationId],
  );
  // Returns the shares of the process first, so that the measurement is exact.
  await client.get('/api/usage');
  await database.query('update budget_usage set measured_at = null');
  await new StorageMeasurements(database).run(new AbortController().signal);
  for (let n = 0; n < 8; n++) await store(100_000);
  await store(50_000);
  expect(await warnings()).toBe(2);
  const organizations = new Organizations(database, new Plans(service.settings), systemClock);
  await organizations.setPlan(client.organizationId, 'pro');
  await organizations.setPlan(client.organizationId, 'free');
  await store(50_000);
  expect(await warnings()).toBe(3);
});

it('a change of the plan of one organization repeats no warning of another', async () => {
  const neighbor = client;
  client = await service.organization('free');
  await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['BUDGET_WARNING'] });
  for (let n = 0; n < 9; n++) await store(100_000);
  expect(await warnings()).toBe(1);
  const organizations = new Organizations(service.database, new Plans(service.settings), systemClock);
  await organizations.setPlan(neighbor.organizationId, 'pro');
  await store(50_000);
  expect(await warnings()).toBe(1);
});
