import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';

const BUDGET = 10;
const HITS = 40;

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } });
});
afterAll(() => service?.stop());

it('counts every hit of an email, and stores and tells only so many a minute', async () => {
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
  // What is not stored yet must not be lost with the process.
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
}, 60_000);
