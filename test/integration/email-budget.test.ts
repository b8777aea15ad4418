import { isDeepStrictEqual } from 'node:util';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { readUsage, type UsageView } from '../../src/organizations/budgets/usage.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const DAY_MS = 86_400_000;
const LIMIT = 10;
/** The clock of both processes starts ten minutes before midnight in UTC. */
const clock = { now: () => Date.now() + offsetMs };
const startMs = Date.now();
let offsetMs = DAY_MS - (startMs % DAY_MS) - 600_000;

let service: TestService;
let secondProcess: TestService;
let client: TestClient;
let atSecond: TestClient;

const environment = {
  ROLES: 'api',
  BUDGET_EMAILS_PER_DAY: `free=${LIMIT},unlimited=0`,
  PLANS: 'free=1,unlimited=',
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
};

beforeAll(async () => {
  service = await TestService.start({ environment, clock });
  secondProcess = await TestService.start({ beside: service, environment, clock });
});
beforeEach(async () => {
  client = await service.organization('free');
  atSecond = secondProcess.client(client.organizationId, client.apiKey);
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const send = async (by: TestClient, fields: object = {}, headers: Record<string, string> = {}) =>
  by.post<{ error?: string }>('/api/send', { ...email, ...fields }, { prefer: 'respond-async', ...headers });
const usage = async (by = client) => (await by.get<UsageView>('/api/usage')).body.budgets.emailsPerDay;
const isUsed = (used: number) => eventually(async () => (await usage()).used === used);
const midnight = () => new Date(clock.now() - (clock.now() % DAY_MS) + DAY_MS);

describe('Budgets per plan: emails per day', () => {
  it('Over the limit: 429 that names the budget and when it renews, exactly at the limit with two processes', async () => {
    const sent = await Promise.all(Array.from({ length: 24 }, (_, n) => send(n % 2 === 0 ? client : atSecond)));
    expect(sent.map(({ status }) => status).sort()).toEqual([...Array(LIMIT).fill(202), ...Array(14).fill(429)]);
    const refused = sent.filter(({ status }) => status === 429);
    const renewsAt = midnight().toISOString();
    expect(refused[0]!.body.error).toBe(
      `The budget of emails per day is used up: the plan free allows ${LIMIT}, and it renews at ${renewsAt}`,
    );
    const retryAfter = Number(refused[0]!.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(600);
    const [stored] = await service.database.query<{ emails: number }>(
      'select count(*)::integer as emails from emails where organization_id = $1',
      [client.organizationId],
    );
    expect(stored!.emails).toBe(LIMIT);
    expect(await usage()).toEqual({ used: LIMIT, limit: LIMIT, renewsAt });
  });

  it('counts each recipient, in all ways of sending: send, track, batch, scheduled', async () => {
    expect((await send(client, { cc: ['b@example.com'], bcc: ['c@example.com'] })).status).toBe(202);
    expect((await client.post('/api/emails', { ...email, to: ['a@example.com', 'b@example.com'] })).status).toBe(200);
    expect((await atSecond.post('/api/send/batch', { emails: [email, email] })).status).toBe(202);
    expect((await send(atSecond, { sendAt: new Date(clock.now() + 60_000).toISOString() })).status).toBe(202);
    await isUsed(8);
    expect((await client.post('/api/send/batch', { emails: [email, email, email] })).status).toBe(429);
    expect((await client.post('/api/send/batch', { emails: [email, email] })).status).toBe(202);
    expect((await client.post('/api/emails', email)).status).toBe(429);
    expect((await send(client)).status).toBe(429);
  });

  it('a scheduled email counts for the day on which it is sent, even if it is rescheduled', async () => {
    const at = (days: number) => new Date(midnight().getTime() + days * DAY_MS + 1_000).toISOString();
    const ids = await Promise.all(
      Array.from({ length: LIMIT }, async () => {
        const { status, headers } = await send(client, { sendAt: at(1) });
        expect(status).toBe(202);
        return headers.get('location')!;
      }),
    );
    expect((await send(client, { sendAt: at(1) })).status).toBe(429);
    expect((await send(client)).status).toBe(202);
    const { headers } = await send(client, { sendAt: at(2) });
    expect((await client.patch(headers.get('location')!, { sendAt: at(1) })).status).toBe(429);
    // Within its day, an email moves even if no more emails fit into that day.
    const later = new Date(Date.parse(at(1)) + 3_600_000).toISOString();
    expect((await client.patch(ids[1]!, { sendAt: later })).status).toBe(200);
    expect((await send(client, { sendAt: at(1) })).status).toBe(429);
    expect((await client.patch(ids[0]!, { sendAt: at(3) })).status).toBe(200);
    expect((await client.patch(headers.get('location')!, { sendAt: at(1) })).status).toBe(200);
  });

  it('an email that several requests reschedule at once counts for the day that it ends on, and for no other', async () => {
    const on = (day: number) => new Date(midnight().getTime() + day * DAY_MS + 1_000);
    const days = [1, 2, 3, 4, 5, 6];
    for (let n = 0; n < 6; n++) expect((await send(client, { sendAt: on(0).toISOString() })).status).toBe(202);
    const { headers } = await send(client, { sendAt: on(0).toISOString() });
    const email = headers.get('location')!;
    const moves = days.map((day) =>
      (day % 2 === 0 ? client : atSecond).patch(email, { sendAt: on(day).toISOString() }),
    );
    for (const { status } of await Promise.all(moves)) expect(status).toBe(200);
    const { sendAt } = (await client.get<EmailDetail>(email)).body;
    const used = (day: number) =>
      readUsage(
        service.database,
        { organizationId: client.organizationId, plan: 'free' },
        () => LIMIT,
        on(day).getTime(),
      ).then(({ budgets }) => budgets.emailsPerDay.used);
    const expected = [6, ...days.map((day) => Number(on(day).toISOString() === sendAt))];
    await eventually(async () => isDeepStrictEqual(await Promise.all([0, ...days].map(used)), expected));
  });

  it('an email that is not stored does not count', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await send(client, {}, key);
    for (let times = 0; times < 3; times++) expect((await send(client, {}, key)).status).toBe(first.status);
    expect((await send(client, { to: 'nobody' })).status).toBe(400);
    expect((await send(client, { htmlContent: '' })).status).toBe(400);
    const race = await Promise.all([1, 2, 3, 4].map(() => send(client, {}, { 'idempotency-key': 'raced' })));
    expect(race.filter(({ status }) => status === 202).length).toBeGreaterThan(0);
    await isUsed(2);
    for (let n = 2; n < LIMIT; n++) expect((await send(client)).status).toBe(202);
    expect((await send(client)).status).toBe(429);
    expect((await send(client, {}, key)).status).toBe(first.status);
  });

  it('is shared by all processes, even if Redis is flushed', async () => {
    for (let n = 0; n < 5; n++) expect((await send(client)).status).toBe(202);
    await service.forgetRedis();
    const rest = await Promise.all(Array.from({ length: 12 }, (_, n) => send(n % 2 === 0 ? client : atSecond)));
    expect(rest.filter(({ status }) => status === 202).length).toBe(5);
    expect(rest.filter(({ status }) => status === 429).length).toBe(7);
  });

  it('a limit of 0 allows none, and a new plan applies within seconds', async () => {
    const other = await service.organization('unlimited');
    for (let n = 0; n < LIMIT + 2; n++) expect((await send(other)).status).toBe(202);
    expect((await usage(other)).limit).toBeNull();
    for (let n = 0; n < LIMIT; n++) expect((await send(client)).status).toBe(202);
    expect((await send(client)).status).toBe(429);
    await service.database.query(`update organizations set plan = 'unlimited' where id = $1`, [client.organizationId]);
    offsetMs += 4_000;
    expect((await send(client)).status).toBe(202);
  });

  it('Warnings at 80 %: webhook BUDGET_WARNING once per budget and period, metric', async () => {
    const { status } = await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['BUDGET_WARNING'] });
    expect(status).toBe(201);
    const warnings = async () =>
      (
        await service.database.query<{ body: string }>(
          `select d.body from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id where w.organization_id = $1`,
          [client.organizationId],
        )
      ).map(({ body }) => JSON.parse(body) as object);
    for (let n = 0; n < 7; n++) await send(client);
    expect(await warnings()).toEqual([]);
    await Promise.all([send(client), send(atSecond), send(client), send(atSecond), send(client)]);
    const renewsAt = midnight().toISOString();
    expect(await warnings()).toMatchObject([
      { type: 'BUDGET_WARNING', data: { budget: 'emailsPerDay', limit: LIMIT, renewsAt } },
    ]);
    // Either process may have warned, and either may have refused.
    const pages = await Promise.all([service, secondProcess].map((one) => fetch(`${one.operatorAddress}/metrics`)));
    const metrics = (await Promise.all(pages.map((page) => page.text()))).join('');
    expect(metrics).toMatch(/mailbeacon_budget_warnings_total\{budget="emailsPerDay"\} [1-9]/);
    expect(metrics).toMatch(/mailbeacon_budget_refusals_total\{budget="emailsPerDay"\} [1-9]/);
  });

  it('renews at midnight in UTC, in every process', async () => {
    for (let n = 0; n < LIMIT; n++) expect((await send(client)).status).toBe(202);
    offsetMs += midnight().getTime() - clock.now() - 60_000;
    expect((await send(atSecond)).status).toBe(429);
    offsetMs += 60_000;
    expect((await usage()).used).toBe(0);
    const renewed = await Promise.all(Array.from({ length: 14 }, (_, n) => send(n % 2 === 0 ? client : atSecond)));
    expect(renewed.filter(({ status }) => status === 202).length).toBe(LIMIT);
  });
});
