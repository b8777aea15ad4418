import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

const LIMIT = 10;
const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  const environment = { ROLES: 'api', BUDGET_EMAILS_PER_DAY: `free=${LIMIT}`, PLANS: 'free=1' };
  service = await TestService.start({ environment });
});
beforeEach(async () => {
  client = await service.organization('free');
});
afterAll(() => service?.stop());

const send = () => client.post('/api/send', email, { prefer: 'respond-async' });
const used = async () => (await client.get<UsageView>('/api/usage')).body.budgets.emailsPerDay.used;
const isUsed = (units: number) => eventually(async () => (await used()) === units);

describe('Budgets per plan: emails per day of a batch', () => {
  it('a message of a batch that is not stored does not count', async () => {
    const batch = async (...campaigns: (string | undefined)[]) => {
      const emails = campaigns.map((campaignId) => ({ ...email, campaignId }));
      const { status, body } = await client.post<BatchResponse>('/api/send/batch', { emails });
      expect(status).toBe(202);
      return body.emails.map((result) => ('error' in result ? 'error' : result.status));
    };
    const { body: old } = await client.post<{ id: string }>('/api/campaigns', { name: 'Old' });
    expect((await client.post(`/api/campaigns/${old.id}/archive`)).status).toBe(200);
    expect(await batch(...Array<string>(LIMIT + 1).fill('Old'))).toEqual(Array(LIMIT + 1).fill('error'));
    expect(await used()).toBe(0);
    expect((await send()).status).toBe(202);
    expect(await batch('Old', undefined)).toEqual(['error', 'queued']);
    await isUsed(2);
    // The plan allows one active campaign.
    expect(await batch('First', 'Second', 'Second')).toEqual(['queued', 'error', 'error']);
    await isUsed(3);
    // This one is archived while the batch is stored.
    let racing: Promise<string[]> | undefined;
    await whileLocked(
      service.database,
      async (sql) => {
        const first = 'organization_id = $1 and archived_at is null';
        await sql.query(`select from campaigns where ${first} for update`, [client.organizationId]);
        await sql.query(`update campaigns set archived_at = now() where ${first}`, [client.organizationId]);
      },
      async () => {
        racing = batch('First', undefined, 'First');
        await lockedOut(service.database, 1);
      },
    );
    expect(await racing).toEqual(['error', 'queued', 'error']);
    await isUsed(4);
  });

  it('a batch over the limit creates no campaign', async () => {
    const emails = Array.from({ length: LIMIT + 1 }, () => ({ ...email, campaignId: 'Never made' }));
    expect((await client.post('/api/send/batch', { emails })).status).toBe(429);
    expect((await client.get('/api/campaigns')).body).toMatchObject({ campaigns: [] });
  });
});
