import type { BroadcastDetail } from '../../src/broadcasts/broadcast-view.js';
import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(() => service?.stop());

async function suppress(address: string): Promise<void> {
  expect((await client.post('/api/suppressions', { addresses: [address] })).status).toBe(201);
}

it('recipients count as suppressed in broadcast and campaign, at any time; only emails cause webhooks', async () => {
  await client.post('/api/webhooks', { url: 'https://hooks.example.com/', events: ['EMAIL_SUPPRESSED'] });
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create();
  const other = await service.organization();
  await other.post('/api/suppressions', { addresses: people(4).map(({ to }) => to) });
  const [atUpload, atTurn, atClaim] = people(4).map(({ to }) => to) as [string, string, string];
  await suppress(atUpload);
  expect(await broadcasts.add(id, people(4))).toMatchObject({ added: 3, suppressed: 1 });
  await suppress(atTurn);
  service.mailServer.scripts.add(atClaim, { phase: 'rcpt', reply: '451 4.7.1 Try again later' });
  await broadcasts.move(id, 'send');
  const email = await eventually(async () => {
    const [waiting] = await service.database.query<{ id: string }>(
      `update pending_emails set due_at = now() + interval '1 hour'
        where broadcast_id = $1 and last_error is not null and lease_token is null returning email_id as id`,
      [id],
    );
    return waiting;
  });
  await suppress(atClaim);
  await service.database.query('update pending_emails set due_at = default where email_id = $1', [email.id]);
  await broadcasts.settled(id, 'sent');
  const { body } = await client.get<BroadcastDetail>(`/api/broadcasts/${id}`);
  expect(body.progress).toMatchObject({ total: 4, sent: 1, failed: 0, suppressed: 3, queued: 0, canceled: 0 });
  expect(body.stats).toMatchObject({ totalEmails: 1, suppressed: 3 });
  const { body: campaign } = await client.get<CampaignDetail>(`/api/campaigns/${body.campaignId}`);
  expect(campaign.stats).toEqual(body.stats);
  const webhooks = await service.database.query<{ recipient: string }>(
    `select d.body::json -> 'data' ->> 'recipient' as recipient
       from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id where w.organization_id = $1`,
    [client.organizationId],
  );
  expect(webhooks).toEqual([{ recipient: atClaim }]);
});

it('recipients of a broadcast that was never sent do not count for the campaign', async () => {
  const [{ to }] = people(1, 200) as [{ to: string }];
  await suppress(to);
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create({ name: 'Never sent', sendAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await broadcasts.add(id, [{ to }, ...people(1, 201)])).toMatchObject({ suppressed: 1 });
  await broadcasts.move(id, 'send');
  const suppressed = async () => {
    const { body } = await client.get<BroadcastDetail>(`/api/broadcasts/${id}`);
    return { ofBroadcast: body.progress.suppressed, ofCampaign: body.stats?.suppressed };
  };
  expect(await suppressed()).toEqual({ ofBroadcast: 1, ofCampaign: 0 });
  expect(await broadcasts.move(id, 'cancel')).toEqual({ status: 200, is: 'canceled' });
  expect(await suppressed()).toEqual({ ofBroadcast: 1, ofCampaign: 0 });
});

it('recipients that a draft leaves out do not count for the campaign yet', async () => {
  const [{ to }] = people(1, 100) as [{ to: string }];
  await suppress(to);
  const broadcasts = new BroadcastClient(client);
  const { body: campaign } = await client.post<{ id: string }>('/api/campaigns', { name: 'Drafts' });
  const id = await broadcasts.create({ campaignId: campaign.id });
  expect(await broadcasts.add(id, [{ to }])).toMatchObject({ suppressed: 1 });
  const { body } = await client.get<CampaignDetail>(`/api/campaigns/${campaign.id}`);
  expect(body.stats.suppressed).toBe(0);
});
