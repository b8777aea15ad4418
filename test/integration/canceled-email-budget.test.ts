import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const DAY_MS = 86_400_000;
const LIMIT = 3;

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', BUDGET_EMAILS_PER_DAY: `free=${LIMIT}` } });
});
beforeEach(async () => void (client = await service.organization('free')));
afterAll(() => service?.stop());

const at = (days: number): string => new Date((Math.floor(Date.now() / DAY_MS) + days) * DAY_MS + 60_000).toISOString();

function send(fields: object = {}) {
  const email = { from: 'a@acme.example', to: ['ada@example.com'], subject: 'S', textContent: 'x', ...fields };
  return client.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
}

async function schedule(days: number, fields: object = {}): Promise<string> {
  const { status, body } = await send({ sendAt: at(days), ...fields });
  expect(status).toBe(202);
  return `/api/emails/${body.emailTrackingId}`;
}

it('an email that is canceled before its time no longer counts for the day on which it was to be sent', async () => {
  const copies = { cc: ['b@example.com', 'c@example.com'] };
  const first = await schedule(5, copies);
  expect((await send({ sendAt: at(5) })).status).toBe(429);
  expect((await client.post(`${first}/cancel`)).status).toBe(200);
  expect((await client.post(`${first}/cancel`)).status).toBe(409);
  const second = await schedule(5, copies);
  expect((await send({ sendAt: at(5) })).status).toBe(429);
  // After a move, it counts for another day.
  await schedule(6);
  expect((await client.patch(second, { sendAt: at(7) })).status).toBe(200);
  expect((await client.post(`${second}/cancel`)).status).toBe(200);
  await schedule(7, copies);
  await schedule(5, copies);
  expect((await send({ sendAt: at(7) })).status).toBe(429);
  expect((await send({ sendAt: at(6), ...copies })).status).toBe(429);
});

it('an email that was to be sent at once keeps counting', async () => {
  const { body } = await send();
  expect((await client.post(`/api/emails/${body.emailTrackingId}/cancel`)).status).toBe(200);
  await eventually(async () => (await client.get<UsageView>('/api/usage')).body.budgets.emailsPerDay.used === 1);
});

it('an email whose time has passed keeps counting when it is canceled before a worker has claimed it', async () => {
  const due = await schedule(5);
  await send();
  await service.database.query(
    `with passed as (update emails set send_at = now() - interval '1 ms' where send_at is not null returning id, send_at)
     update pending_emails set queued_at = send_at, due_at = send_at from passed where email_id = id`,
  );
  expect((await client.post(`${due}/cancel`)).status).toBe(200);
  expect((await send({ cc: ['b@example.com'] })).status).toBe(202);
  expect((await send()).status).toBe(429);
});
