import type { CampaignDetail } from '../../../src/campaigns/campaign-reports.js';
import { BroadcastClient } from '../../support/broadcast-client.js';
import { eventually } from '../../support/eventually.js';
import type { TestClient } from '../../support/service.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const sendAt = new Date(Date.now() + 86_400_000).toISOString();

let bench: ErasureBench;
let client: TestClient;
beforeAll(async () => void (bench = await ErasureBench.start()));
beforeEach(async () => {
  client = await bench.service.organization();
});
afterAll(() => bench?.stop());

it('an erasure leaves to a campaign the queued email that has reached the person, and no other', async () => {
  const { body: campaign } = await client.post<{ id: string }>('/api/campaigns', { name: 'Reached' });
  const message = { from: 'a@acme.example', to: JANE, subject: 'S', htmlContent: '<p>x</p>' };
  for (let count = 0; count < 2; count++)
    expect((await client.post('/api/send', { ...message, campaignId: campaign.id, sendAt })).status).toBe(202);
  await bench.service.database.query(
    `update pending_emails set attempts = 1, provider_id = 'taken' where email_id = (
       select email_id from pending_emails where organization_id = $1 limit 1)`,
    [client.organizationId],
  );
  await bench.erase(JANE, client);
  const { body } = await client.get<CampaignDetail>(`/api/campaigns/${campaign.id}`);
  expect(body.stats.totalEmails).toBe(1);
  expect(body.emails.map(({ status }) => status).sort()).toEqual(['canceled', 'sent']);
});

it('an erasure counts the queued email of a broadcast as sent, and not also as canceled, if it has reached the person', async () => {
  const { database } = bench.service;
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create();
  await broadcasts.add(id, [{ to: JANE }]);
  bench.service.mailServer.scripts.add(JANE, { phase: 'rcpt', reply: '451 4.7.1 Try again later' });
  await broadcasts.move(id, 'send');
  const take = `update pending_emails set provider_id = 'taken', due_at = now() + interval '1 hour'
     where broadcast_id = $1 and last_error is not null and lease_token is null returning email_id`;
  await eventually(async () => (await database.query(take, [id])).length === 1);
  await bench.erase(JANE, client);
  expect((await broadcasts.read(id)).progress).toMatchObject({ total: 1, sent: 1, canceled: 0, queued: 0 });
});
