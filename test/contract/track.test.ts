import { jest } from '@jest/globals';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailEvent } from '../../src/emails/read/email-events.js';
import { RenderingLimitError } from '../../src/rendering/rendering-limit-error.js';
import { RenderingPool } from '../../src/rendering/rendering-pool.js';
import { eventually } from '../support/eventually.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';
import { emailToTrack, listEmails, trackEmail } from '../support/tracked-emails.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking,flusher' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

describe('POST /api/emails', () => {
  it('does not send: it returns HTML with tracked links and the pixel', async () => {
    const body = await trackEmail(client);
    expect(body).toEqual({
      id: expect.any(String),
      emailTrackingId: expect.any(String),
      links: ['a', 'b'].map((name, at) => ({
        originalUrl: `https://example.com/${name}`,
        trackingId: expect.any(String),
        trackingUrl: `http://track.test/api/t/c/${body.links[at]!.trackingId}`,
      })),
      pixelUrl: `http://track.test/api/t/o/${body.emailTrackingId}`,
      htmlContent: expect.any(String),
    });
    for (const { trackingUrl } of body.links) expect(body.htmlContent).toContain(`href="${trackingUrl}"`);
    expect(body.htmlContent).toContain(body.pixelUrl);
    expect(body.htmlContent).not.toContain('https://example.com/a"');
    expect(service.mailServer.messages).toEqual([]);
  });

  it('counts as sent at once, in campaign, contact and email', async () => {
    const { id, emailTrackingId } = await trackEmail(client, {
      to: ['Joe <joe@example.com>', 'jane@example.com'],
      from: 'Ada <ada@acme.example>',
      campaignId: 'Elsewhere',
      metadata: { order: 7 },
    });
    const { body: detail } = await client.get<EmailDetail>(`/api/emails/${id}`);
    expect(detail).toMatchObject({
      id,
      trackingId: emailTrackingId,
      status: 'tracked',
      from: 'Ada <ada@acme.example>',
      to: ['joe@example.com', 'jane@example.com'],
      campaign: 'Elsewhere',
      metadata: { order: 7 },
      attempts: 0,
      lastError: null,
      providerId: null,
      sentAt: detail.createdAt,
    });
    const { body: contact } = await client.get('/api/contacts/jane@example.com');
    expect(contact).toMatchObject({ totalEmails: 1, campaigns: ['Elsewhere'], timeline: [{ type: 'sent' }] });
    const { body: campaigns } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    const { body: campaign } = await client.get(`/api/campaigns/${campaigns.campaigns[0]!.id}`);
    expect(campaign).toMatchObject({
      stats: { totalEmails: 1 },
      links: [
        { url: 'https://example.com/a', clicks: 0, people: 0 },
        { url: 'https://example.com/b', clicks: 0, people: 0 },
      ],
    });
  });

  it('requires no sender, and returns null for a missing one', async () => {
    const { id } = await trackEmail(client);
    expect((await client.get<EmailDetail>(`/api/emails/${id}`)).body.from).toBeNull();
  });

  it('compiles MJML', async () => {
    const { links, htmlContent } = await trackEmail(client, {
      htmlContent:
        '<mjml><mj-body><mj-section><mj-column><mj-button href="https://example.com/go">Go</mj-button></mj-column></mj-section></mj-body></mjml>',
    });
    expect(links.map(({ originalUrl }) => originalUrl)).toEqual(['https://example.com/go']);
    expect(htmlContent).not.toContain('<mj-');
  });

  it.each([
    ['to', { to: undefined }],
    ['subject', { subject: '' }],
    ['htmlContent', { htmlContent: '<mjml><mj-body><mj-nope /></mj-body></mjml>' }],
    ['from', { from: 'nobody' }],
    ['metadata', { metadata: [] }],
    ['campaignId', { campaignId: ' ' }],
  ])('refuses an invalid %s and stores nothing', async (field, fields) => {
    const before = (await listEmails(client)).length;
    const { status, body } = await client.post('/api/emails', { ...emailToTrack, ...fields });
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field }] } });
    expect((await listEmails(client)).length).toBe(before);
  });

  it('refuses HTML that takes too much to rewrite, and creates no campaign for it', async () => {
    jest.spyOn(RenderingPool.prototype, 'render').mockRejectedValueOnce(new RenderingLimitError('takes too long'));
    const { status, body } = await client.post('/api/emails', { ...emailToTrack, campaignId: 'Of a refused email' });
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'htmlContent' }] } });
    const { body: listed } = await client.get<{ campaigns: { name: string }[] }>('/api/campaigns');
    expect(listed.campaigns.map(({ name }) => name)).not.toContain('Of a refused email');
  });
});

describe('GET /api/emails/:id/events', () => {
  it('lists what happened, newest first, page by page', async () => {
    const { id, emailTrackingId, pixelUrl, links } = await trackEmail(client, {
      to: ['one@example.com', 'two@example.com'],
    });
    const { body: fresh } = await client.get<{ events: EmailEvent[] }>(`/api/emails/${id}/events`);
    expect(fresh.events).toEqual([{ id: expect.any(String), type: 'sent', timestamp: expect.any(String) }]);

    await service.track(pixelUrl);
    await service.track(links[1]!.trackingUrl);
    await service.track(pixelUrl);
    const all = await eventually(async () => {
      const { body } = await client.get<{ events: EmailEvent[] }>(`/api/emails/${emailTrackingId}/events`);
      return body.events.length === 4 && body.events;
    });
    expect(all.map(({ type }) => type)).toEqual(['opened', 'clicked', 'opened', 'sent']);
    expect(all[1]).toMatchObject({ link: 'https://example.com/b' });

    const paged: EmailEvent[] = [];
    for (let path: string | undefined = `/api/emails/${id}/events?limit=1`; path;) {
      const page: { headers: Headers; body: { events: EmailEvent[] } } = await client.get(path);
      paged.push(...page.body.events);
      path = nextPage(page.headers);
    }
    expect(paged).toEqual(all);
  });

  it('lists what happened in one millisecond in the order in which it happened', async () => {
    const { id, pixelUrl, links } = await trackEmail(client);
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    try {
      for (const url of [pixelUrl, links[0]!.trackingUrl, pixelUrl, links[1]!.trackingUrl]) await service.track(url);
    } finally {
      now.mockRestore();
    }
    const { events } = await eventually(async () => {
      const { body } = await client.get<{ events: EmailEvent[] }>(`/api/emails/${id}/events`);
      return body.events.length === 5 && body;
    });
    expect(events.map(({ type }) => type)).toEqual(['clicked', 'opened', 'clicked', 'opened', 'sent']);
    expect(new Set(events.slice(0, 4).map(({ timestamp }) => timestamp)).size).toBe(1);
  });
});
