import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { CampaignView } from '../../src/campaigns/campaigns.js';
import { nextPage, pageOf } from '../support/next-page.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<a href="https://example.com/a">a</a>' };

async function created(name: string): Promise<string> {
  return (await client.post<CampaignView>('/api/campaigns', { name })).body.id;
}

describe('the links of a campaign', () => {
  it.each([
    ['2,500 of them', 2_500, ''],
    ['8 KB in each', 300, 'x'.repeat(8_000)],
  ])('lists links page by page, most clicked first, with %s', async (what, count, long) => {
    const id = await created(`Links ${what}`);
    await service.database.query(
      `insert into campaign_links (campaign_id, url_hash, url, clicks)
       select $1, sha256(convert_to(n::text, 'UTF8')), 'https://x.example/' || n || $3::text, n / 400
         from generate_series(1, $2::int) n`,
      [id, count, long],
    );
    const links = [];
    for (let path: string | undefined = `/api/campaigns/${id}`; path !== undefined;) {
      const { headers, body }: ApiResponse<CampaignDetail> = await client.get<CampaignDetail>(path);
      expect(body.links.length).toBeGreaterThan(0);
      expect(JSON.stringify(body.links).length).toBeLessThan(1_200_000);
      links.push(...body.links);
      path = pageOf(headers, 'next-links');
    }
    expect(new Set(links.map(({ url }) => url)).size).toBe(count);
    expect(links).toHaveLength(count);
    const clicks = links.map((link) => link.clicks);
    expect(clicks).toEqual(clicks.toSorted((one, other) => other - one));
  });

  it('names the next pages of both lists in one header, and refuses an invalid cursor', async () => {
    const id = await created('Two lists');
    await client.post('/api/emails', { ...email, campaignId: 'Two lists' });
    await client.post('/api/emails', { ...email, campaignId: 'Two lists' });
    await service.database.query(
      `insert into campaign_links (campaign_id, url_hash, url)
       select $1, sha256(convert_to(n::text, 'UTF8')), 'https://x.example/' || n from generate_series(1, 1001) n`,
      [id],
    );
    const { headers } = await client.get(`/api/campaigns/${id}?limit=1`);
    const emails = (await client.get<CampaignDetail>(nextPage(headers)!)).body.emails;
    const links = (await client.get<CampaignDetail>(pageOf(headers, 'next-links')!)).body.links;
    expect([emails.length, links.length]).toEqual([1, 2]);
    const { status, body } = await client.get(`/api/campaigns/${id}?linksCursor=x`);
    expect([status, body.error]).toEqual([400, 'linksCursor must be the cursor of a Link header of this list']);
  });
});
