import { simpleParser, type ParsedMail } from 'mailparser';
import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { ApiDocument } from '../support/openapi/api-document.js';
import { NO_ENGAGEMENT } from '../support/engagement.js';
import { eventually } from '../support/eventually.js';
import { NO_REPORTS } from '../support/no-reports.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/* Sentences of the API contract, quoted, that no other test in this folder has as its title. */

const URLS = ['https://example.com/a?x=1&y=2', 'https://example.com/b'];
const MAX_TIMELINE = 1_000;

let receiver: WebhookReceiver;
let service: TestService;
let client: TestClient;
let response: SendResponse;
let mail: ParsedMail;
let html: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.listen();
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', ...AWAIT_RESULT } });
  client = await service.organization();
  await client.post('/api/webhooks', { url: receiver.url });
  response = (
    await client.post<SendResponse>('/api/send', {
      from: 'Ada Lovelace <ada@acme.example>',
      to: 'reader@example.com',
      subject: 'The engine',
      htmlContent: `<body>${URLS.map((url) => `<a href="${url.replaceAll('&', '&amp;')}">x</a>`).join()}</body>`,
      campaignId: 'Spring',
    })
  ).body;
  mail = await simpleParser(service.mailServer.messages[0]!.content);
  html = String(mail.html);
});
afterAll(async () => {
  await service?.stop();
  await receiver?.stop();
});

async function campaign(): Promise<CampaignDetail> {
  const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  return (await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`)).body;
}

async function contact(address = 'reader@example.com'): Promise<ContactDetail> {
  return (await client.get<ContactDetail>(`/api/contacts/${address}`)).body;
}

describe('POST /api/send, in order', () => {
  it('2. the display name is kept, and reply-to is set to the original from address', () => {
    expect(mail.from?.value[0]?.name).toBe('Ada Lovelace');
    expect(mail.from?.value[0]?.address).toMatch(/@platform\.test$/);
    expect(mail.replyTo?.value[0]?.address).toBe('ada@acme.example');
  });

  it('3. all links are extracted from htmlContent', () => {
    expect(response.links.map(({ originalUrl }) => originalUrl)).toEqual(URLS);
  });

  it('4. tracking records are created for the email and for each link', async () => {
    const { body } = await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`);
    expect(body).toMatchObject({ trackingId: response.emailTrackingId, providerId: response.id, campaign: 'Spring' });
    expect(body.links).toEqual(response.links.map((link) => ({ ...link, clicks: 0, people: 0 })));
  });

  it("5. every link is rewritten to pass through the service's click-tracking address", () => {
    for (const { trackingId, trackingUrl } of response.links) {
      expect(trackingUrl).toBe(`http://track.test/api/t/c/${trackingId}`);
      expect(html).toContain(`href="${trackingUrl}"`);
    }
    expect(html).not.toContain('https://example.com/');
  });

  it('6. a 1x1 tracking pixel is injected for open detection', async () => {
    expect(response.pixelUrl).toBe(`http://track.test/api/t/o/${response.emailTrackingId}`);
    expect(html.split(`src="${response.pixelUrl}"`)).toHaveLength(2);
    const image = Buffer.from(await (await service.track(response.pixelUrl)).arrayBuffer());
    expect([image.toString('latin1', 0, 3), image.readUInt16LE(6), image.readUInt16LE(8)]).toEqual(['GIF', 1, 1]);
  });

  it('7. the modified HTML is sent through the external delivery provider', () => {
    expect(service.mailServer.messages.map(({ recipients }) => recipients)).toEqual([['reader@example.com']]);
  });

  it('8. the EMAIL_SENT webhook is triggered', async () => {
    const [webhook] = await eventually(() => receiver.received.length > 0 && receiver.received);
    const posted = JSON.parse(webhook!.body) as { type: string; data: object };
    expect(posted).toMatchObject({ type: 'EMAIL_SENT', data: { emailTrackingId: response.emailTrackingId } });
  });
});

describe('Opens and clicks', () => {
  it('are recorded automatically when the tracking addresses are requested', async () => {
    const before = await campaign();
    await service.track(response.pixelUrl);
    const click = await service.track(response.links[1]!.trackingUrl);
    expect([click.status, click.headers.get('location')]).toEqual([302, URLS[1]]);
    const after = await eventually(async () => {
      const { stats, emails, links } = await campaign();
      return stats.totalClicks === 1 && stats.totalOpens > before.stats.totalOpens && { stats, emails, links };
    });
    expect(after.links).toContainEqual({ url: URLS[1], clicks: 1, people: expect.any(Number) });
    expect(after.emails[0]).toMatchObject({ trackingId: response.emailTrackingId, clicks: 1 });
  });

  it('are aggregated per recipient across all campaigns', async () => {
    const before = await contact();
    const { body } = await client.post<SendResponse>('/api/emails', {
      to: 'READER@example.com',
      subject: 'Later',
      htmlContent: '<p>x</p>',
      campaignId: 'Summer',
    });
    await service.track(body.pixelUrl);
    const after = await eventually(async () => {
      const seen = await contact();
      return seen.totalOpens === before.totalOpens + 1 && seen;
    });
    expect(after).toMatchObject({ totalEmails: 2, campaigns: ['Summer', 'Spring'], totalClicks: before.totalClicks });
    expect(after.timeline[0]).toMatchObject({ type: 'opened', campaign: 'Summer', subject: 'Later' });
  });
});

describe('A contact’s timeline', () => {
  it('lists them newest first, at most 1000 entries', async () => {
    const { timeline } = await contact();
    await service.database.query(
      `insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
       select gen_random_uuid(), 1, now() + n * interval '1 second', 'opened', e.id, e.contact_ids[1]
         from emails e, generate_series(1, $2::int) n where e.tracking_id = $1`,
      [response.emailTrackingId, MAX_TIMELINE - 1],
    );
    const full = (await contact()).timeline;
    expect(full).toHaveLength(MAX_TIMELINE);
    expect(full.at(-1)).toEqual(timeline[0]);
    const times = full.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
  });
});

describe('Ratios and percentages', () => {
  it('of nothing are 0', async () => {
    const { body } = await client.post('/api/campaigns', { name: 'Empty' });
    const { body: detail } = await client.get<CampaignDetail>(`/api/campaigns/${String(body.id)}`);
    const rates = { openRate: 0, clickRate: 0 };
    const totals = { totalEmails: 0, totalOpens: 0, totalClicks: 0 };
    expect(detail.stats).toEqual({ ...totals, ...rates, ...NO_REPORTS, ...NO_ENGAGEMENT });
    expect([detail.links, detail.emails]).toEqual([[], []]);
  });
});

describe('Versioning', () => {
  it('paths carry no version segment', async () => {
    const { operations } = await ApiDocument.of(service);
    for (const { path } of operations) expect(path).toMatch(/^\/api\/(?!v\d)/);
  });
});
