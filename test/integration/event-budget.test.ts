import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService } from '../support/service.js';

const BUDGET = 10;
const HITS = 40;

const MINUTE_MS = 60_000;
const LIMIT = 10;

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', ...AWAIT_RESULT } });
});
afterAll(() => service?.stop());

it('counts every hit of an email, and stores and posts only the allowed number a minute', async () => {
  const environment = { ROLES: 'tracking', EVENTS_PER_EMAIL_PER_MINUTE: String(BUDGET) };
  const edge = await TestService.start({ beside: service, environment });
  const client = await service.organization();
  await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['EMAIL_OPENED', 'EMAIL_CLICKED'] });
  const { body: sent } = await client.post<SendResponse>('/api/send', {
    from: 'a@acme.example',
    to: ['one@example.com', 'two@example.com'],
    subject: 'S',
    htmlContent: '<a href="https://shop.example/1">1</a><a href="https://shop.example/2">2</a>',
    campaignId: 'Spring',
  });
  const urls = [sent.pixelUrl, ...sent.links.map(({ trackingUrl }) => trackingUrl)];
  const statuses = await Promise.all(
    Array.from({ length: HITS }, async (_, at) => (await edge.track(urls[at % urls.length]!)).status),
  );
  expect(statuses.sort()).toEqual([...Array<number>(14).fill(200), ...Array<number>(26).fill(302)]);
  // Stopping flushes the events that are not stored yet.
  await edge.stop();

  const campaign = async () => {
    const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    return (await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`)).body;
  };
  await eventually(async () => (await campaign()).stats.totalOpens + (await campaign()).stats.totalClicks === HITS);
  const { stats, links, emails } = await campaign();
  expect(stats).toMatchObject({ totalOpens: 14, totalClicks: 26 });
  expect(links.map(({ url, clicks }) => [url, clicks])).toEqual([
    ['https://shop.example/1', 13],
    ['https://shop.example/2', 13],
  ]);
  expect(emails[0]).toMatchObject({ opens: 14, clicks: 26 });
  expect((await client.get('/api/contacts/two@example.com')).body).toMatchObject({ totalOpens: 14, totalClicks: 26 });

  const { body } = await client.get<{ events: { type: string }[] }>(`/api/emails/${sent.emailTrackingId}/events`);
  expect(body.events.filter(({ type }) => type !== 'sent')).toHaveLength(BUDGET);
  const [rows] = await service.database.query<{ deliveries: number; events: number }>(
    `select (select count(*)::int from webhook_deliveries) as deliveries, count(*)::int as events
       from events where type <> 'sent' and ordinal = 1`,
  );
  expect(rows).toEqual({ deliveries: BUDGET, events: BUDGET });
});

it('events per email and minute by plan: further ones are only counted, across all processes', async () => {
  const flusher = { ROLES: 'api,tracking,flusher', BUDGET_EVENTS_PER_EMAIL_PER_MINUTE: 'free=5' };
  const limited = await TestService.start({ environment: { ...flusher, BASE_URL: 'http://track.test' } });
  const edge = await TestService.start({ beside: limited, environment: { ROLES: 'tracking' } });
  const totals = async (plan: string) => {
    const client = await limited.organization(plan);
    const { body } = await client.post<{ pixelUrl: string; emailTrackingId: string }>('/api/emails', {
      to: 'one@example.com',
      subject: 'S',
      htmlContent: '<p>x</p>',
    });
    // In several flushes, and from both edges.
    for (let n = 0; n < 12; n++) {
      await (n % 2 === 0 ? limited : edge).track(body.pixelUrl);
      await eventually(async () => (await client.get<{ opens: number }>(emailOf(body))).body.opens === n + 1);
    }
    const [row] = await limited.database.query<{ stored: number; minutes: number }>(
      `select count(*)::integer as stored, count(distinct date_trunc('minute', v.occurred_at))::integer as minutes
         from events v join emails e on e.id = v.email_id where e.tracking_id = $1 and v.type = 'opened'`,
      [body.emailTrackingId],
    );
    return row!;
  };
  const emailOf = (body: { emailTrackingId: string }) => `/api/emails/${body.emailTrackingId}`;
  const { stored, minutes } = await totals('free');
  expect(stored).toBeLessThanOrEqual(5 * minutes);
  expect(stored).toBeGreaterThanOrEqual(5);
  expect((await totals('pro')).stored).toBe(12);
  await edge.stop();
  await limited.stop();
});

describe('Budgets per plan: events per email and minute', () => {
  const started = Date.now();
  /** Starts at the beginning of a minute, and stays in it for the test. */
  const clock = { now: () => started - (started % MINUTE_MS) + 1_000 + Math.floor((Date.now() - started) / 100) };
  const renewsAt = new Date(started - (started % MINUTE_MS) + MINUTE_MS).toISOString();
  let limited: TestService;

  beforeAll(async () => {
    const environment = {
      ROLES: 'api,tracking,flusher',
      BASE_URL: 'http://track.test',
      BUDGET_EVENTS_PER_EMAIL_PER_MINUTE: `free=${LIMIT}`,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    };
    limited = await TestService.start({ environment, clock });
  });
  afterAll(() => limited?.stop());

  it('GET /api/usage: the email with the most events, up to the limit, and warnings at 80 % as webhook and metric', async () => {
    const client = await limited.organization('free');
    await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['BUDGET_WARNING'] });
    const email = async () => {
      const fields = { to: 'one@example.com', subject: 'S', htmlContent: '<p>x</p>' };
      return (await client.post<{ pixelUrl: string; emailTrackingId: string }>('/api/emails', fields)).body;
    };
    const opens = async (id: string) => (await client.get<{ opens: number }>(`/api/emails/${id}`)).body.opens;
    const open = async ({ pixelUrl, emailTrackingId }: Awaited<ReturnType<typeof email>>, times: number) => {
      const before = await opens(emailTrackingId);
      for (let n = 0; n < times; n++) await limited.track(pixelUrl);
      await eventually(async () => (await opens(emailTrackingId)) === before + times);
    };
    const usage = async () => (await client.get<UsageView>('/api/usage')).body.budgets.eventsPerEmailPerMinute;
    const warnings = async () =>
      (
        await limited.database.query<{ body: string }>(
          `select d.body from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
            where w.organization_id = $1`,
          [client.organizationId],
        )
      ).map(({ body }) => JSON.parse(body) as object);
    const [first, second] = [await email(), await email()];

    await open(first, 4);
    expect(await usage()).toEqual({ used: 0, limit: LIMIT, renewsAt });
    await open(first, 3);
    await open(second, 5);
    expect(await usage()).toEqual({ used: 7, limit: LIMIT, renewsAt });
    expect(await warnings()).toEqual([]);

    await open(second, 4);
    expect(await usage()).toEqual({ used: 9, limit: LIMIT, renewsAt });
    await open(first, 20);
    expect(await usage()).toEqual({ used: LIMIT, limit: LIMIT, renewsAt });
    const data = { budget: 'eventsPerEmailPerMinute', limit: LIMIT, renewsAt };
    expect(await warnings()).toMatchObject([{ type: 'BUDGET_WARNING', data }]);
    const metrics = await (await fetch(`${limited.operatorAddress}/metrics`)).text();
    expect(metrics).toContain('mailbeacon_budget_warnings_total{budget="eventsPerEmailPerMinute"} 1\n');
  });

  it('A plan without a limit shows none and sends no warnings', async () => {
    const client = await limited.organization('pro');
    const { body } = await client.get<UsageView>('/api/usage');
    expect(body.budgets.eventsPerEmailPerMinute).toEqual({ used: 0, limit: null, renewsAt });
  });
});
