import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import { FoldedStats } from '../../src/campaigns/stats/fold-stats.js';
import type { StatsFigures, StatsView } from '../../src/campaigns/stats/read-stats.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

/* Figures over time, produced by real events. They must equal those of campaigns and emails. */

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({
    environment: { RATE_LIMIT_PER_MINUTE: '0', ...WITHOUT_TIMING, ...AWAIT_RESULT },
  });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

/** With this setting a person may open an email right after it was sent. */
const WITHOUT_TIMING = {
  ...{ ENGAGEMENT_INSTANT_MS: '0', ENGAGEMENT_CORROBORATED_MS: '0', ENGAGEMENT_BURST_MS: '0' },
  ...{ ENGAGEMENT_ALL_LINKS_MS: '0', ENGAGEMENT_AROUND_SCANNER_MS: '0' },
};
const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<a href="https://example.com/a">a</a>' };
/** Timeout for background work. */
const TIMEOUT_MS = 40_000;
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

async function figures(query = ''): Promise<StatsFigures> {
  return (await client.get<StatsView>(`/api/stats${query}`)).body.totals;
}

async function idOf(campaign: string): Promise<string> {
  const { body } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
  return body.campaigns.find(({ name }) => name === campaign)!.id;
}

/** The same figures as the campaign shows them. */
async function ofCampaign(campaign: string) {
  const { stats } = (await client.get<CampaignDetail>(`/api/campaigns/${await idOf(campaign)}`)).body;
  const { opens, clicks, uniqueOpens, uniqueClicks } = stats.people;
  const { delivered, deferred, bounced, complained, unsubscribed } = stats;
  return {
    ...{ emails: stats.totalEmails, opens: stats.totalOpens, clicks: stats.totalClicks },
    ...{ delivered, deferred, bounced, complained, unsubscribed },
    people: { opens, clicks, uniqueOpens, uniqueClicks },
    machines: { opens: stats.machines.opens, clicks: stats.machines.clicks },
  };
}

async function send(to: string, campaignId: string | undefined): Promise<SendResponse> {
  const { status, body } = await client.post<SendResponse>('/api/send', { ...email, to, campaignId });
  expect(status).toBe(200);
  return body;
}

/** @param to an address that the mail server refuses once */
async function fail(to: string, reply: string): Promise<void> {
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply }, 1);
  expect((await client.post('/api/send', { ...email, to, campaignId: 'Spring' })).status).toBe(500);
}

async function failedId(): Promise<string> {
  const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails?status=failed');
  return body.emails[0]!.id;
}

const fold = () => new FoldedStats(service.database).fold();

describe('figures over time', () => {
  it('equal those of the campaign, before and after a worker folds them', async () => {
    const [first] = [await send('one@example.com', 'Spring'), await send('two@example.com', 'Spring')];
    await send('three@example.com', undefined);
    await client.post('/api/emails', { ...email, to: 'four@example.com', campaignId: 'Spring' });
    await fail('nobody@example.com', '550 5.1.1 No such user');
    for (const agent of [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36',
      'Slackbot 1.0',
    ]) {
      await service.track(first.pixelUrl, { headers: { 'user-agent': agent } });
      await service.track(first.links[0]!.trackingUrl, { headers: { 'user-agent': agent } });
    }
    const ofSpring = await eventually(async () => {
      const totals = await ofCampaign('Spring');
      return totals.opens === 2 && totals.clicks === 2 && totals;
    }, TIMEOUT_MS);
    const expected = { ...ofSpring, sent: 3, failed: 1 };
    expect(expected).toMatchObject({ emails: 3, bounced: 1, machines: { opens: 1, clicks: 1 } });
    const all = { ...expected, emails: 4, sent: 4 };
    expect(await figures('?campaignId=Spring')).toEqual(expected);
    expect(await figures()).toEqual(all);

    await Promise.all([fold(), fold(), fold()]);
    expect(await figures('?campaignId=Spring')).toEqual(expected);
    for (const interval of ['hour', 'day', 'week', 'month']) {
      const { body } = await client.get<StatsView>(`/api/stats?interval=${interval}`);
      expect(body.totals).toEqual(all);
      expect(body.points.reduce((sum, { opens }) => sum + opens, 0)).toBe(all.opens);
    }
    expect(await figures('?to=2026-01-01')).toMatchObject({ emails: 0, opens: 0 });
  });

  it('an email that is canceled, or fails and is retried, counts by its current status', async () => {
    await send('one@example.com', 'Spring');
    const { body: later } = await client.post<SendResponse>('/api/send', {
      ...{ ...email, to: 'two@example.com', campaignId: 'Spring', sendAt: tomorrow() },
    });
    expect(await figures()).toMatchObject({ emails: 2, sent: 1, failed: 0 });
    await client.post(`/api/emails/${later.emailTrackingId}/cancel`);
    expect(await figures()).toMatchObject({ emails: 1, sent: 1, failed: 0 });
    await fail('full@example.com', '550 5.7.1 Not now');
    expect(await figures()).toMatchObject({ emails: 1, sent: 1, failed: 1 });
    await fold();
    expect((await client.post(`/api/emails/${await failedId()}/retry`)).status).toBe(200);
    await eventually(async () => (await figures()).sent === 2, TIMEOUT_MS);
    expect(await figures()).toMatchObject({ emails: 2, sent: 2, failed: 0 });
    expect((await ofCampaign('Spring')).emails).toBe(2);
  });

  it('count the emails of batches and broadcasts, without those that a cancellation takes back', async () => {
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, people(30));
    await client.post(`/api/broadcasts/${id}/send`);
    await eventually(async () => (await figures()).sent === 30, TIMEOUT_MS);
    expect(await figures('?campaignId=Spring%20sale')).toMatchObject({ emails: 30, sent: 30, failed: 0 });

    const { body } = await client.post<{ emails: object[] }>('/api/send/batch', {
      emails: people(5).map(({ to }) => ({ ...email, to, campaignId: 'Batch', sendAt: tomorrow() })),
    });
    expect(body.emails).toHaveLength(5);
    expect(await figures('?campaignId=Batch')).toMatchObject({ emails: 5, sent: 0 });
    expect(await figures()).toMatchObject({ emails: 35, sent: 30 });
    const { body: list } = await client.get<{ emails: { id: string }[] }>('/api/emails?status=scheduled');
    for (const { id: scheduled } of list.emails) await client.post(`/api/emails/${scheduled}/cancel`);
    expect(await figures()).toMatchObject({ emails: 30, sent: 30 });
  });

  it('contain nothing of other organizations', async () => {
    const other = client;
    client = await service.organization();
    await send('one@example.com', 'Spring');
    await fold();
    await send('two@example.com', 'Spring');
    expect((await other.get<StatsView>('/api/stats')).body.totals).toMatchObject({ emails: 0, sent: 0 });
    expect(await figures()).toMatchObject({ emails: 2, sent: 2 });
  });
});
