import { simpleParser } from 'mailparser';
import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { ANY_ENGAGEMENT } from '../support/engagement.js';
import { eventually, withinASecond } from '../support/eventually.js';
import { NO_REPORTS } from '../support/no-reports.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = {
  from: 'Ada Lovelace <ada@acme.example>',
  to: 'reader@example.com',
  subject: 'The engine',
  htmlContent:
    '<p>See <a href="https://example.com/a?x=1&amp;y=2">this</a> and <a href="https://example.com/b">that</a></p>',
};

function messageTo(address: string) {
  return service.mailServer.messages.find((message) => message.recipients.includes(address));
}

describe('POST /api/send', () => {
  it('delivers the rewritten email and returns the send response of the contract', async () => {
    const { status, body } = await client.post<SendResponse>('/api/send', { ...email, to: 'one@example.com' });

    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      emailTrackingId: expect.stringMatching(/^[\w-]{24}$/),
      from: expect.stringMatching(/^Ada Lovelace <ada-acme-example-[0-9a-f]{20}@platform\.test>$/),
      to: ['one@example.com'],
      subject: 'The engine',
      links: [
        {
          originalUrl: 'https://example.com/a?x=1&y=2',
          trackingId: expect.any(String),
          trackingUrl: expect.any(String),
        },
        { originalUrl: 'https://example.com/b', trackingId: expect.any(String), trackingUrl: expect.any(String) },
      ],
      pixelUrl: `http://track.test/api/t/o/${body.emailTrackingId}`,
    });
    for (const link of body.links) expect(link.trackingUrl).toBe(`http://track.test/api/t/c/${link.trackingId}`);

    const message = await simpleParser(messageTo('one@example.com')!.content);
    expect(message.replyTo?.value[0]?.address).toBe('ada@acme.example');
    expect(message.html).toContain(`href="${body.links[0]!.trackingUrl}"`);
    expect(message.html).toContain(body.pixelUrl);
    expect(message.text).toContain('https://example.com/a?x=1&y=2');
    expect(message.text).not.toContain('/api/t/c/');
  });

  it('shows opens and clicks in the campaign, the contact and the email within a second', async () => {
    const sent = await client.post<SendResponse>('/api/send', {
      ...email,
      to: 'Two@Example.com',
      campaignId: 'Launch',
    });
    const { body } = sent;
    await service.track(body.pixelUrl);
    await service.track(body.pixelUrl);
    const click = await service.track(body.links[0]!.trackingUrl);
    expect(click.status).toBe(302);
    expect(click.headers.get('location')).toBe('https://example.com/a?x=1&y=2');

    const { body: list } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const { id } = list.campaigns.find(({ name }) => name === 'Launch')!;
    const detail = await withinASecond(async () => {
      const { body: seen } = await client.get<CampaignDetail>(`/api/campaigns/${id}`);
      return seen.stats.totalClicks === 1 && seen.stats.totalOpens === 2 && seen;
    });
    const rates = { openRate: 200, clickRate: 100 };
    const totals = { totalEmails: 1, totalOpens: 2, totalClicks: 1 };
    expect(detail.stats).toEqual({ ...totals, ...rates, ...NO_REPORTS, ...ANY_ENGAGEMENT });
    expect(detail.links).toEqual([
      { url: 'https://example.com/a?x=1&y=2', clicks: 1, people: expect.any(Number) },
      { url: 'https://example.com/b', clicks: 0, people: expect.any(Number) },
    ]);
    expect(detail.emails).toMatchObject([
      { trackingId: body.emailTrackingId, recipient: 'Two@Example.com', opens: 2, clicks: 1 },
    ]);

    const { body: contact } = await client.get<ContactDetail>('/api/contacts/two%40example.com');
    expect(contact).toMatchObject({
      email: 'Two@Example.com',
      totalEmails: 1,
      totalOpens: 2,
      totalClicks: 1,
      campaigns: ['Launch'],
    });
    expect(contact.timeline.map(({ type }) => type)).toEqual(['clicked', 'opened', 'opened', 'sent']);
    expect(contact.timeline[0]).toMatchObject({
      subject: 'The engine',
      campaign: 'Launch',
      link: 'https://example.com/a?x=1&y=2',
    });

    const { body: record } = await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    expect(record).toMatchObject({ status: 'sent', attempts: 1, opens: 2, clicks: 1, campaign: 'Launch' });
    expect(record.links.map(({ clicks }) => clicks)).toEqual([1, 0]);
  });

  it('returns 202 at once when the caller prefers not to wait', async () => {
    const { status, headers, body } = await client.post<SendResponse>(
      '/api/send',
      { ...email, to: 'three@example.com' },
      { prefer: 'respond-async' },
    );
    expect(status).toBe(202);
    expect(body).toMatchObject({ id: null, status: 'queued', to: ['three@example.com'] });
    const location = headers.get('location')!;
    await eventually(async () => (await client.get<EmailDetail>(location)).body.status === 'sent');
  });

  it('returns 500 with the reason when the provider refuses permanently, and does not count the email', async () => {
    service.mailServer.scripts.add('four@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
    const { status, body } = await client.post('/api/send', {
      ...email,
      to: 'four@example.com',
      campaignId: 'Refused',
    });
    expect(status).toBe(500);
    expect(body.error).toMatch(/^Email delivery failed: .*No such user/);
    const { body: contact } = await client.get<ContactDetail>('/api/contacts/four%40example.com');
    expect(contact).toMatchObject({ totalEmails: 0, timeline: [] });
  });

  it('compiles MJML before it stores the email', async () => {
    const mjml =
      '<mjml><mj-body><mj-section><mj-column><mj-button href="https://example.com/go">Go</mj-button></mj-column></mj-section></mj-body></mjml>';
    const { status, body } = await client.post<SendResponse>('/api/send', {
      ...email,
      to: 'five@example.com',
      htmlContent: mjml,
    });
    expect(status).toBe(200);
    expect(body.links.map(({ originalUrl }) => originalUrl)).toContain('https://example.com/go');
  });
});
