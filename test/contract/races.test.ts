import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { CampaignView } from '../../src/campaigns/campaigns.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, lockWaiters, whileLocked } from '../support/held-lock.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

/** Number of requests that the service processes at once, each on its own connection: half of its connections. */
const AT_ONCE = 10;
const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;

beforeAll(async () => {
  const environment = { ROLES: 'api', PLANS: 'pro=1000,three=3', DATABASE_POOL_SIZE: String(2 * AT_ONCE) };
  service = await TestService.start({ environment });
});
afterAll(() => service?.stop());

function statuses(responses: ApiResponse<unknown>[]): number[] {
  return responses.map(({ status }) => status).sort();
}

function track(client: TestClient, campaignId: string, to = email.to): Promise<ApiResponse<TrackResponse>> {
  return client.post<TrackResponse>('/api/emails', { ...email, to, campaignId });
}

async function activeCampaigns(client: TestClient): Promise<number> {
  return (await client.get<{ campaigns: unknown[] }>('/api/campaigns')).body.campaigns.length;
}

/** Blocks every request just before it writes a campaign, until all of them wait there or for one another. */
async function allAtOnce(requests: () => Promise<ApiResponse<unknown>>[]): Promise<ApiResponse<unknown>[]> {
  let responses: Promise<ApiResponse<unknown>>[] = [];
  await whileLocked(
    service.database,
    (sql) => sql.query('lock table campaigns in share row exclusive mode'),
    async () => {
      responses = requests();
      await lockedOut(service.database, responses.length);
    },
  );
  return Promise.all(responses);
}

it('one of several simultaneous requests to create the same name gets 201, the others 409', async () => {
  const client = await service.organization();
  const create = () => client.post('/api/campaigns', { name: 'Raced' });
  const responses = await allAtOnce(() => Array.from({ length: AT_ONCE }, create));
  expect(statuses(responses)).toEqual([201, ...Array<number>(AT_ONCE - 1).fill(409)]);
});

it('simultaneous sends to an unknown name create one campaign, which has all of them', async () => {
  const client = await service.organization();
  const responses = await allAtOnce(() => Array.from({ length: AT_ONCE }, () => track(client, 'Made by sends')));
  expect(new Set(statuses(responses))).toEqual(new Set([200]));
  const { body } = await client.get<{ campaigns: CampaignView[] }>('/api/campaigns');
  expect(body.campaigns).toHaveLength(1);
  const { body: detail } = await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`);
  expect(detail.stats.totalEmails).toBe(AT_ONCE);
});

it('the limit of a plan is never exceeded by concurrent creates, directly or through sends', async () => {
  const client = await service.organization('three');
  const create = (at: number) => (at % 2 ? client.post('/api/campaigns', { name: `C${at}` }) : track(client, `C${at}`));
  const responses = await allAtOnce(() => Array.from({ length: AT_ONCE }, (_, at) => create(at)));
  expect(responses.filter(({ status }) => status < 300)).toHaveLength(3);
  expect(responses.filter(({ status }) => status === 403)).toHaveLength(AT_ONCE - 3);
  expect(await activeCampaigns(client)).toBe(3);
});

it('of two simultaneous archives one succeeds', async () => {
  const client = await service.organization();
  const { body } = await client.post<CampaignView>('/api/campaigns', { name: 'Archived twice' });
  const archive = () => client.post(`/api/campaigns/${body.id}/archive`);
  expect(statuses(await allAtOnce(() => [archive(), archive()]))).toEqual([200, 400]);
});

it('an archive racing sends leaves no email accepted after it', async () => {
  const client = await service.organization();
  const { body } = await client.post<CampaignView>('/api/campaigns', { name: 'Contested' });
  const emails = async () => (await client.get<CampaignDetail>(`/api/campaigns/${body.id}`)).body.stats.totalEmails;
  await track(client, body.id, 'held@example.com');

  const sends: Promise<ApiResponse<unknown>>[] = [];
  let archived: Promise<number> | undefined;
  let isDone = false;
  await whileLocked(
    service.database,
    (sql) => sql.query(`select from contacts where address_key = 'held@example.com' for update`),
    async () => {
      // They have read that the campaign is open, and are blocked before the insert. Each waits in its own statement,
      // although emails that arrive together would share one.
      for (const held of [1, 2, 3]) {
        sends.push(track(client, body.id, 'held@example.com'));
        await lockedOut(service.database, held);
      }
      archived = client.post(`/api/campaigns/${body.id}/archive`).then(() => {
        isDone = true;
        return emails();
      });
      await eventually(async () => isDone || (await lockWaiters(service.database)) > sends.length);
    },
  );
  const atArchive = await archived;
  const accepted = (await Promise.all(sends)).filter(({ status }) => status === 200);
  expect(await emails()).toBe(atArchive);
  expect(accepted).toHaveLength(atArchive! - 1);
  expect((await track(client, body.id)).status).toBe(400);
});
