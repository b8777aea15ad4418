import { jest } from '@jest/globals';
import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { MjmlCompilations } from '../../src/rendering/mjml-compilations.js';
import { TestService, type TestClient } from '../support/service.js';

const MINUTE_MS = 60_000;
/** Starts at the beginning of a minute, and moves only when the test advances it. */
let now = Date.now() - (Date.now() % MINUTE_MS);
const clock = { now: () => now };

let service: TestService;
let secondProcess: TestService;
let client: TestClient;
const environment = { ROLES: 'api', BUDGET_RENDER_SECONDS_PER_MINUTE: 'free=1' };

beforeAll(async () => {
  service = await TestService.start({ environment, clock });
  secondProcess = await TestService.start({ beside: service, environment, clock });
});
beforeEach(async () => {
  client = await service.organization('free');
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

let documents = 0;
/** Small, so that none uses up the budget by itself on a busy machine. */
const newsletter = () => ({
  from: 'a@acme.example',
  to: 'ada@example.com',
  subject: 'S',
  htmlContent: `<mjml><mj-body>${`<mj-section><mj-column><mj-text>${documents++}</mj-text></mj-column></mj-section>`.repeat(20)}</mj-body></mjml>`,
});
const render = (by = client) => by.post<{ error?: string }>('/api/send', newsletter(), { prefer: 'respond-async' });
const usage = async () => (await client.get<UsageView>('/api/usage')).body.budgets.renderSecondsPerMinute;

describe('Budgets per plan: render seconds per minute', () => {
  it('Over the limit: 429 that names the budget and when it renews, in every process; other organizations can render', async () => {
    let refused = await render();
    for (let n = 0; n < 500 && refused.status === 202; n++) refused = await render();
    const renewsAt = new Date(now + MINUTE_MS).toISOString();
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: `The budget of render seconds per minute is used up: the plan free allows 1, and it renews at ${renewsAt}`,
      },
    });
    expect(refused.headers.get('retry-after')).toBe('60');
    const { used, limit } = await usage();
    expect(limit).toBe(1);
    // The last document may take longer than the rest of the budget.
    expect(used).toBeGreaterThanOrEqual(0.9);
    expect(used).toBeLessThan(3);
    expect((await render(secondProcess.client(client.organizationId, client.apiKey))).status).toBe(429);
    expect((await render(await service.organization('free'))).status).toBe(202);
    // Mail that needs no rendering is still accepted.
    expect(
      (await client.post('/api/send', { ...newsletter(), htmlContent: 'x' }, { prefer: 'respond-async' })).status,
    ).toBe(202);

    now += MINUTE_MS;
    expect((await usage()).used).toBe(0);
    expect((await render()).status).toBe(202);
  });

  it('a batch is refused as a whole, and its key stays free', async () => {
    for (let n = 0; n < 500 && (await render()).status === 202; n++);
    const emails = [{ ...newsletter(), htmlContent: '<p>x</p>' }, newsletter()];
    const send = () => client.post<BatchResponse>('/api/send/batch', { emails }, { 'idempotency-key': 'batch' });
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);

    now += MINUTE_MS;
    expect((await send()).body).toMatchObject({ emails: [{ status: 'queued' }, { status: 'queued' }] });
  });

  it('a batch that alone needs more than a whole budget is accepted, and counts in full', async () => {
    const emails = Array.from({ length: 500 }, newsletter);
    const { status, body } = await client.post<BatchResponse>('/api/send/batch', { emails });
    expect([status, body.emails?.length]).toEqual([202, 500]);
    expect(body.emails.filter((one) => 'error' in one)).toEqual([]);
    expect((await usage()).used).toBeGreaterThan(1);
    expect((await render()).status).toBe(429);
  });

  it('a replay of POST /api/emails gets the first response, even if the budget is used up', async () => {
    const tracked = { ...newsletter(), htmlContent: '<a href="https://example.com/a">a</a>' };
    const track = () => client.post('/api/emails', tracked, { 'idempotency-key': 'tracked once' });
    const first = await track();
    expect(first.status).toBe(200);
    for (let n = 0; n < 500 && (await render()).status === 202; n++);
    expect((await client.post('/api/emails', tracked)).status).toBe(429);
    const replay = await track();
    expect([replay.status, replay.body]).toEqual([200, first.body]);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
  });

  it('a document that was compiled before is not compiled, and charged, again', async () => {
    const compiled = jest.spyOn(MjmlCompilations.prototype as unknown as { htmlOf(): Promise<string> }, 'htmlOf');
    const sent = newsletter();
    for (let n = 0; n < 20; n++) {
      expect((await client.post('/api/send', sent, { prefer: 'respond-async' })).status).toBe(202);
    }
    // Each email is charged for the rest of its rendering, which takes a busy machine tenths of seconds, too.
    expect(compiled).toHaveBeenCalledTimes(1);
    compiled.mockRestore();
  });
});
