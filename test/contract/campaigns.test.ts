import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { CampaignView } from '../../src/campaigns/campaigns.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { ANY_ENGAGEMENT } from '../support/engagement.js';
import { eventually } from '../support/eventually.js';
import { nextPage } from '../support/next-page.js';
import { NO_REPORTS } from '../support/no-reports.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking,flusher', PLANS: 'pro=1000,three=3' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<a href="https://example.com/a">a</a>' };

async function created(name: string, by = client): Promise<CampaignView> {
  const { status, body } = await by.post<CampaignView>('/api/campaigns', { name });
  expect(status).toBe(201);
  return body;
}

function track(campaignId: string, by = client): Promise<ApiResponse<TrackResponse>> {
  return by.post<TrackResponse>('/api/emails', { ...email, campaignId });
}

async function listed(by = client): Promise<CampaignView[]> {
  return (await by.get<{ campaigns: CampaignView[] }>('/api/campaigns')).body.campaigns;
}

async function detail(id: string): Promise<CampaignDetail> {
  return (await client.get<CampaignDetail>(`/api/campaigns/${id}`)).body;
}

describe('POST /api/campaigns', () => {
  it('responds with 201 with id, name and createdAt', async () => {
    expect(await created('Spring')).toEqual({
      id: expect.any(String),
      name: 'Spring',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it.each([
    ['a missing name', {}],
    ['an empty name', { name: '' }],
    ['a blank name', { name: ' \t' }],
    ['a number', { name: 7 }],
    ['201 characters', { name: 'x'.repeat(201) }],
    ['201 emoji', { name: '🙂'.repeat(201) }],
    ['a NUL', { name: 'a\0b' }],
  ])('400 Required field missing: %s', async (_what, body) => {
    const response = await client.post('/api/campaigns', body);
    expect(response).toMatchObject({ status: 400, body: { error: expect.any(String), details: [{ field: 'name' }] } });
  });

  it('counts characters, not the units that encode them: 200 emoji are a name', async () => {
    expect((await created('🙂'.repeat(200))).name).toBe('🙂'.repeat(200));
  });

  it('names are unique within the organization: 409 A campaign with this name already exists', async () => {
    await created('Unique');
    const again = await client.post('/api/campaigns', { name: ' Unique ' });
    expect(again).toMatchObject({ status: 409, body: { error: 'A campaign with this name already exists' } });
    await created('Unique', await service.organization());
    await created('unique');
    await created('x'.repeat(200));
  });

  it('an archived campaign keeps its name', async () => {
    const { id } = await created('Kept');
    await client.post(`/api/campaigns/${id}/archive`);
    expect((await client.post('/api/campaigns', { name: 'Kept' })).status).toBe(409);
  });
});

describe('the campaign limit of the plan', () => {
  it('counts active campaigns only', async () => {
    const limited = await service.organization('three');
    const [first] = [await created('1', limited), await created('2', limited), await created('3', limited)];
    for (const refused of [await limited.post('/api/campaigns', { name: '4' }), await track('4', limited)]) {
      expect(refused).toMatchObject({ status: 403, body: { error: expect.stringMatching(/three allows 3/) } });
    }
    await limited.post(`/api/campaigns/${first!.id}/archive`);
    await created('4', limited);
  });
});

describe('GET /api/campaigns', () => {
  it('lists active campaigns, newest first, in pages that stay stable while campaigns are added', async () => {
    const own = await service.organization();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await created(name, own);
    await own.post(`/api/campaigns/${(await listed(own))[2]!.id}/archive`);
    const seen: string[] = [];
    for (let path: string | undefined = '/api/campaigns?limit=2'; path;) {
      const page: ApiResponse<{ campaigns: CampaignView[] }> = await own.get(path);
      seen.push(...page.body.campaigns.map(({ name }) => name));
      path = nextPage(page.headers);
      await created(`late ${seen.length}`, own);
    }
    expect(seen).toEqual(['e', 'd', 'b', 'a']);
  });

  it('lists archived campaigns on request, in pages and by name', async () => {
    const own = await service.organization();
    for (const name of ['Spring', 'Spring sale', 'Summer', 'Active']) await created(name, own);
    for (const { id, name } of await listed(own)) if (name !== 'Active') await own.post(`/api/campaigns/${id}/archive`);
    const names = async (query: string): Promise<string[]> => {
      const { body } = await own.get<{ campaigns: CampaignView[] }>(`/api/campaigns?${query}`);
      return body.campaigns.map(({ name }) => name);
    };
    expect(await names('archived=true')).toEqual(['Summer', 'Spring sale', 'Spring']);
    expect(await names('archived=true&search=spring')).toEqual(['Spring sale', 'Spring']);
    expect(await names('archived=false')).toEqual(['Active']);
    const first = await own.get('/api/campaigns?archived=true&limit=2');
    expect(nextPage(first.headers)).toContain('archived=true');
    expect(await own.get('/api/campaigns?archived=yes')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'archived' }] },
    });
  });
});

describe('GET /api/campaigns/:id', () => {
  it('has stats with percentages of two decimals, links aggregated by URL, and emails', async () => {
    const { id } = await created('Report');
    const responses = [await track('Report'), await track(id), await track(' Report ')].map(({ body }) => body);
    await service.track(responses[0]!.pixelUrl);
    for (const { links } of responses.slice(0, 2)) await service.track(links[0]!.trackingUrl);
    const seen = await eventually(async () => {
      const report = await detail(id);
      return report.stats.totalClicks === 2 && report.stats.totalOpens === 1 && report;
    });
    expect(seen).toEqual({
      id,
      name: 'Report',
      createdAt: expect.any(String),
      archivedAt: null,
      stats: {
        ...{ totalEmails: 3, totalOpens: 1, totalClicks: 2, openRate: 33.33, clickRate: 66.67 },
        ...NO_REPORTS,
        ...ANY_ENGAGEMENT,
      },
      links: [{ url: 'https://example.com/a', clicks: 2, people: expect.any(Number) }],
      emails: [2, 1, 0].map((at) => ({
        id: responses[at]!.id,
        trackingId: responses[at]!.emailTrackingId,
        recipient: 'reader@example.com',
        subject: 'S',
        status: 'tracked',
        recipientStates: { sent: 1 },
        createdAt: expect.any(String),
        opens: at === 0 ? 1 : 0,
        clicks: at === 2 ? 0 : 1,
        ...ANY_ENGAGEMENT,
      })),
    });
    const page = await client.get<CampaignDetail>(`/api/campaigns/${id}?limit=2`);
    const next = await client.get<CampaignDetail>(nextPage(page.headers)!);
    expect([...page.body.emails, ...next.body.emails]).toEqual(seen.emails);
    expect(next.body.stats).toEqual(seen.stats);
    expect(nextPage(next.headers)).toBeUndefined();
  });

  it('404 Campaign not found', async () => {
    for (const id of ['nothing', '00000000-0000-7000-8000-000000000000', '%00']) {
      const response = await client.get(`/api/campaigns/${id}`);
      expect(response).toMatchObject({ status: 404, body: { error: 'Campaign not found' } });
    }
  });
});

describe('POST /api/campaigns/:id/archive', () => {
  it('archives once: success, then 400; the campaign leaves the list, stays readable and accepts no new emails', async () => {
    const { id, name } = await created('Old');
    await track(id);
    const archive = () => client.post(`/api/campaigns/${id}/archive`);
    expect(await archive()).toMatchObject({ status: 200, body: { success: true } });
    expect(await archive()).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect((await listed()).map((campaign) => campaign.id)).not.toContain(id);
    for (const campaignId of [id, name]) {
      expect(await track(campaignId)).toMatchObject({ status: 400, body: { details: [{ field: 'campaignId' }] } });
    }
    expect(await detail(id)).toMatchObject({ archivedAt: expect.any(String), stats: { totalEmails: 1 } });
  });
});

describe('campaignId of an email', () => {
  it('is first taken as a name, then as an ID; an unknown name creates a campaign', async () => {
    const target = await created('Target');
    const misleading = await created(target.id);
    await track(target.id);
    expect((await detail(misleading.id)).stats.totalEmails).toBe(1);
    expect((await detail(target.id)).stats.totalEmails).toBe(0);
    await Promise.all(Array.from({ length: 5 }, () => track('Made by a send')));
    const [made] = (await listed()).filter(({ name }) => name === 'Made by a send');
    expect((await detail(made!.id)).stats.totalEmails).toBe(5);
  });
});
