import type { EmailDetail } from '../../src/emails/email-reports.js';
import type { EmailEvent } from '../../src/emails/email-events.js';
import type { EmailSummary } from '../../src/emails/email-list.js';
import type { TrackAnswer } from '../../src/emails/track-answers.js';
import { eventually } from '../support/eventually.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking,flusher' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = {
  to: 'reader@example.com',
  subject: 'The engine',
  htmlContent: '<body><a href="https://example.com/a">a</a><a href="https://example.com/b">b</a></body>',
};

async function tracked(fields: object = {}): Promise<TrackAnswer> {
  const { status, body } = await client.post<TrackAnswer>('/api/emails', { ...email, ...fields });
  expect(status).toBe(200);
  return body;
}

async function listed(query: string): Promise<EmailSummary[]> {
  return (await client.get<{ emails: EmailSummary[] }>(`/api/emails?${query}`)).body.emails;
}

describe('POST /api/emails', () => {
  it('does not send: it answers with HTML that carries links and pixel', async () => {
    const body = await tracked();
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
    const { id, emailTrackingId } = await tracked({
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
        { url: 'https://example.com/a', clicks: 0 },
        { url: 'https://example.com/b', clicks: 0 },
      ],
    });
  });

  it('needs no sender, and says so when it had none', async () => {
    const { id } = await tracked();
    expect((await client.get<EmailDetail>(`/api/emails/${id}`)).body.from).toBeNull();
  });

  it('compiles MJML', async () => {
    const { links, htmlContent } = await tracked({
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
  ])('refuses a wrong %s and stores nothing', async (field, fields) => {
    const before = (await listed('')).length;
    const { status, body } = await client.post('/api/emails', { ...email, ...fields });
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field }] } });
    expect((await listed('')).length).toBe(before);
  });
});

describe('GET /api/emails/:id/events', () => {
  it('lists what happened, newest first, page by page', async () => {
    const { id, emailTrackingId, pixelUrl, links } = await tracked({ to: ['one@example.com', 'two@example.com'] });
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
});

describe('GET /api/emails', () => {
  it('lists newest first and filters by campaign name, campaign ID, recipient and status', async () => {
    const first = await tracked({ campaignId: 'Filtered', to: 'Filter@Example.com' });
    const second = await tracked({ campaignId: 'Filtered', to: 'other@example.com' });
    const third = await tracked({ to: ['filter@example.com', 'third@example.com'] });
    const { body } = await client.post(
      '/api/send',
      { ...email, from: 'a@b.co', to: 'q@example.com' },
      { prefer: 'respond-async' },
    );
    expect(body).toMatchObject({ status: 'queued' });

    const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
    expect((await ids('')).slice(1, 4)).toEqual([third.id, second.id, first.id]);
    expect(await ids('campaignId=Filtered')).toEqual([second.id, first.id]);
    const { body: campaigns } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const { id: campaignId } = campaigns.campaigns.find(({ name }) => name === 'Filtered')!;
    expect(await ids(`campaignId=${campaignId}`)).toEqual([second.id, first.id]);
    expect(await ids('recipient=FILTER@example.com')).toEqual([third.id, first.id]);
    expect(await ids('recipient=filter@example.com&campaignId=Filtered&status=tracked')).toEqual([first.id]);
    expect(await listed('status=queued')).toMatchObject([{ trackingId: body.emailTrackingId, status: 'queued' }]);
    expect(await ids('status=failed')).toEqual([]);
    expect(await ids('campaignId=Unknown')).toEqual([]);
    expect(await ids('recipient=nobody@example.com')).toEqual([]);
    expect((await listed('recipient=third@example.com'))[0]).toEqual({
      id: third.id,
      trackingId: third.emailTrackingId,
      status: 'tracked',
      recipient: 'filter@example.com, third@example.com',
      subject: 'The engine',
      campaign: null,
      lastError: null,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      opens: 0,
      clicks: 0,
    });
  });

  it.each([
    'status=lost',
    'status=',
    'status=sent&status=failed',
    'recipient=',
    'recipient=a,b',
    'campaignId=',
    'campaignId=%00',
    'limit=0',
    'limit=1001',
    'limit=x',
    'cursor=x',
    'cursor=WyJ4Il0',
  ])('refuses ?%s', async (query) => {
    const { status, body } = await client.get(`/api/emails?${query}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: query.split('=')[0] }] } });
  });

  it('pages stay stable while emails are added', async () => {
    const before = (await listed('')).map(({ id }) => id);
    const seen: string[] = [];
    for (let path: string | undefined = '/api/emails?limit=4'; path;) {
      const page: { headers: Headers; body: { emails: EmailSummary[] } } = await client.get(path);
      seen.push(...page.body.emails.map(({ id }) => id));
      path = nextPage(page.headers);
      await tracked();
    }
    expect(seen).toEqual(before);
  });
});
