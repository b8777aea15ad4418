import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const SUPPRESSED = 'gone@example.com';

/** One email for each campaign, which leaves out a recipient. */
function send(to: string, campaigns: readonly string[]) {
  const emails = campaigns.map((campaignId) => ({
    ...{ from: 'ada@acme.example', to, cc: SUPPRESSED, subject: 'S', textContent: 'x' },
    campaignId,
  }));
  return client.post<BatchResponse>('/api/send/batch', { emails });
}

it('stores batches that leave out recipients in the same campaigns, in any order of messages', async () => {
  expect((await client.post('/api/suppressions', { address: SUPPRESSED })).status).toBe(201);
  const campaigns = ['First', 'Second'];
  expect((await send('ann@example.com', campaigns)).status).toBe(202);
  const batches: ReturnType<typeof send>[] = [];
  await whileLocked(
    service.database,
    (sql) => sql.query('select from campaign_totals where shard = -1 order by campaign_id for update'),
    async () => {
      batches.push(send('bob@example.com', campaigns), send('cy@example.com', campaigns.toReversed()));
      await lockedOut(service.database, 2);
    },
  );
  expect((await Promise.all(batches)).map(({ status }) => status)).toEqual([202, 202]);
  const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  for (const { id } of body.campaigns) {
    expect((await client.get(`/api/campaigns/${id}`)).body).toMatchObject({ stats: { totalEmails: 3, suppressed: 3 } });
  }
});
