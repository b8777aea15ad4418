import fc from 'fast-check';
import { engagementScore, type ContactDetail, type ContactView } from '../../src/contacts/contact-views.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { ANY_VERDICT } from '../support/engagement.js';
import { eventually } from '../support/eventually.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking,flusher' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = { subject: 'The engine', htmlContent: '<a href="https://example.com/a">a</a>' };

/** Sends emails to one address and opens and clicks some of them, until the contact shows all of it. */
async function engage(to: string, emails: number, opens: number, clicks: number): Promise<ContactDetail> {
  const tracked: TrackResponse[] = [];
  for (let sent = 0; sent < emails; sent++) {
    const fields = { ...email, to, ...(sent % 2 === 0 && { campaignId: `Campaign ${sent % 4}` }) };
    tracked.push((await client.post<TrackResponse>('/api/emails', fields)).body);
  }
  await Promise.all(tracked.slice(0, opens).map(({ pixelUrl }) => service.track(pixelUrl)));
  await Promise.all(tracked.slice(0, clicks).map(({ links }) => service.track(links[0]!.trackingUrl)));
  return eventually(async () => {
    const { body } = await client.get<ContactDetail>(`/api/contacts/${encodeURIComponent(to)}`);
    return body.totalOpens === opens && body.totalClicks === clicks && body;
  });
}

async function search(text: string): Promise<string[]> {
  const { body } = await client.get<ContactView[]>(`/api/contacts?search=${encodeURIComponent(text)}`);
  return body.map((contact) => contact.email);
}

describe('the engagement score', () => {
  it('of 18 opens and 7 clicks over 24 emails is 57; the rates are ratios with two decimals', async () => {
    const contact = await engage('fifty-seven@example.com', 24, 18, 7);
    expect(contact).toEqual({
      email: 'fifty-seven@example.com',
      ...{ totalEmails: 24, totalOpens: 18, totalClicks: 7 },
      ...{ status: 'active', bounces: 0, complaints: 0 },
      campaigns: ['Campaign 2', 'Campaign 0'],
      engagementScore: 57,
      people: expect.any(Object),
      lastActivity: expect.any(String),
      firstSeen: expect.any(String),
      openRate: 0.75,
      clickRate: 0.29,
      timeline: expect.any(Array),
    });
    expect(contact.timeline).toHaveLength(24 + 18 + 7);
  });

  it('of 12 opens and 5 clicks over 12 emails is 77', async () => {
    expect((await engage('seventy-seven@example.com', 12, 12, 5)).engagementScore).toBe(77);
  });

  it('is between 0 and 100', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), fc.nat(1e9), (emails, opens, clicks) => {
        const score = engagementScore(emails, opens, clicks);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        // One more event never lowers the score.
        expect(engagementScore(emails, opens + 1, clicks)).toBeGreaterThanOrEqual(score);
        expect(engagementScore(emails, opens, clicks + 1)).toBeGreaterThanOrEqual(score);
      }),
    );
    expect(engagementScore(1, 5, 5)).toBe(100);
    expect(engagementScore(0, 0, 0)).toBe(0);
    // Exactly 0.5 is rounded up, as the formula requires.
    expect(engagementScore(80, 0, 1)).toBe(1);
  });
});

describe('GET /api/contacts/:email', () => {
  it('has the newest campaigns: at most 100 in a list and 1,000 in the detail', async () => {
    const name = (number: number) => `Mailing ${number}`;
    await client.post('/api/emails', { ...email, to: 'fan@example.com', campaignId: name(0) });
    await service.database.query(
      `with campaign as (
         insert into campaigns (id, organization_id, name)
         select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'Mailing ' || n from generate_series(1, 1100) n
         returning id
       )
       insert into contact_campaigns (contact_id, campaign_id)
       select c.id, campaign.id from campaign, contacts c where c.address_key = 'fan@example.com'`,
      [client.organizationId],
    );
    const newest = (count: number) => Array.from({ length: count }, (_, at) => name(1_100 - at));
    const { body: listed } = await client.get<ContactView[]>('/api/contacts?search=fan@');
    expect(listed[0]!.campaigns).toEqual(newest(100));
    const { body: detail } = await client.get<ContactDetail>('/api/contacts/fan@example.com');
    expect(detail.campaigns).toEqual(newest(1_000));
  });

  it('shows a click to every contact of the email', async () => {
    const to = ['first@example.com', 'second@example.com'];
    const { body: sent } = await client.post<TrackResponse>('/api/emails', { ...email, to });
    await service.track(sent.links[0]!.trackingUrl);
    const clicks = async (address: string) => {
      const { body } = await client.get<ContactDetail>(`/api/contacts/${address}`);
      return body.timeline.filter(({ type }) => type === 'clicked').map(({ link }) => link);
    };
    await eventually(async () => (await clicks(to[0]!)).length === 1);
    expect(await clicks(to[1]!)).toEqual(['https://example.com/a']);
    const [stored] = await service.database.query<{ rows: number; urls: number }>(
      `select count(*)::int as rows, count(url)::int as urls from events
        where type = 'clicked' and email_id = (select id from emails where tracking_id = $1)`,
      [sent.emailTrackingId],
    );
    expect(stored).toEqual({ rows: 2, urls: 1 });
  });

  it('has the timeline, newest first, with the campaign if there is one, and the link of each click', async () => {
    const { timeline, firstSeen, lastActivity } = await engage('timeline@example.com', 2, 1, 1);
    const times = timeline.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(timeline.filter(({ type }) => type === 'clicked')).toEqual([
      {
        type: 'clicked',
        ...{ timestamp: expect.any(String), emailId: expect.any(String) },
        subject: 'The engine',
        campaign: 'Campaign 0',
        link: 'https://example.com/a',
        ...ANY_VERDICT,
      },
    ]);
    const [second, first] = timeline.filter(({ type }) => type === 'sent');
    const sent = { type: 'sent', emailId: expect.any(String), subject: 'The engine' };
    expect(first).toEqual({ ...sent, timestamp: firstSeen, campaign: 'Campaign 0' });
    expect(second).toEqual({ ...sent, timestamp: expect.any(String) });
    expect(lastActivity).toBe(times[0]);
  });

  it('accepts a URL-encoded address in any case and returns it as first written', async () => {
    await client.post('/api/emails', { ...email, to: 'First+Tag@Example.com' });
    await client.post('/api/emails', { ...email, to: 'first+tag@example.com' });
    const { body } = await client.get('/api/contacts/FIRST%2Btag%40example.com');
    expect(body).toMatchObject({ email: 'First+Tag@Example.com', totalEmails: 2 });
  });

  it('404 Contact not found, also for addresses of cc and bcc', async () => {
    const copies = { from: 'ada@acme.example', to: 'to@example.com', cc: 'cc@example.com', bcc: 'bcc@example.com' };
    await client.post('/api/send', { ...email, ...copies }, { prefer: 'respond-async' });
    for (const address of ['never@example.com', 'cc@example.com', 'bcc@example.com', 'no-address', '%00']) {
      const response = await client.get(`/api/contacts/${address}`);
      expect(response).toMatchObject({ status: 404, body: { error: 'Contact not found' } });
    }
    expect((await client.get('/api/contacts/to@example.com')).status).toBe(200);
  });
});

describe('GET /api/contacts', () => {
  it('is an array without a wrapper object, most recent activity first', async () => {
    const own = await service.organization();
    expect((await own.get('/api/contacts')).body).toEqual([]);
    for (const to of ['one@example.com', 'two@example.com', 'one@example.com']) {
      await own.post('/api/emails', { ...email, to });
    }
    const { body } = await own.get<ContactView[]>('/api/contacts');
    expect(body.map((contact) => [contact.email, contact.totalEmails])).toEqual([
      ['one@example.com', 2],
      ['two@example.com', 1],
    ]);
    expect(Object.keys(body[0]!).sort().join()).toBe(
      'bounces,campaigns,complaints,email,engagementScore,lastActivity,people,status,totalClicks,totalEmails,totalOpens',
    );
  });

  it('search matches part of the address, ignoring case; % and _ are ordinary characters', async () => {
    const to = ['100%@shop.example', 'a_b@shop.example', 'axb@shop.example'];
    await client.post('/api/emails', { ...email, to });
    expect((await search('SHOP.EX')).sort()).toEqual(to);
    expect(await search('%')).toEqual(['100%@shop.example']);
    expect(await search('a_b')).toEqual(['a_b@shop.example']);
    expect(await search('\\')).toEqual([]);
    expect(await search("'; drop table contacts; --")).toEqual([]);
    expect((await client.get('/api/contacts?search=a&search=b')).status).toBe(400);
    expect((await client.get('/api/contacts?search=%00')).status).toBe(400);
  });

  it('pages stay stable while contacts are added', async () => {
    const own = await service.organization();
    const addresses = Array.from({ length: 7 }, (_, at) => `c${at}@example.com`);
    for (const to of addresses) await own.post('/api/emails', { ...email, to });
    const seen: string[] = [];
    for (let path: string | undefined = '/api/contacts?limit=3&search=c'; path;) {
      const page: ApiResponse<ContactView[]> = await own.get(path);
      seen.push(...page.body.map((contact) => contact.email));
      path = nextPage(page.headers);
      await own.post('/api/emails', { ...email, to: `c-late-${seen.length}@example.com` });
    }
    expect(seen).toEqual(addresses.reverse());
  });

  it('lists each contact of the same millisecond once, page by page', async () => {
    const own = await service.organization();
    const to = Array.from({ length: 7 }, (_, at) => `c${at}@example.com`);
    await own.post('/api/emails', { ...email, to });
    const seen: string[] = [];
    for (let path: string | undefined = '/api/contacts?limit=3'; path && seen.length <= to.length;) {
      const page: ApiResponse<ContactView[]> = await own.get(path);
      seen.push(...page.body.map((contact) => contact.email));
      path = nextPage(page.headers);
    }
    expect(seen.sort()).toEqual(to);
  });

  it.each(['WyIyMDI2LTAyLTMwVDAwOjAwOjAwLjAwMFoiLCIxIl0', 'WyJmb28gMSIsIjEiXQ', 'bm8', 'W10'])(
    'refuses a cursor that the API did not return: %s',
    async (cursor) => {
      const response = await client.get(`/api/contacts?cursor=${cursor}`);
      expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } });
    },
  );
});
