import { randomBytes } from 'node:crypto';
import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { draft } from '../support/broadcast-client.js';
import { changeDraft } from '../support/changed-drafts.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

/* A refused draft or email leaves no campaign, no attachment and no used budget. */

const LIMIT = 50_000;
const environment = { ROLES: 'api', BUDGET_STORED_BYTES: `free=${LIMIT}`, PLANS: 'free=1,pro=' };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment });
});
beforeEach(async () => {
  client = await service.organization('free');
});
afterAll(() => service?.stop());

const file = (size: number) => ({ filename: 'a.pdf', content: randomBytes(size).toString('base64') });
const html = (length: number) => `<p>${randomBytes(length / 2).toString('hex')}</p>`;
const create = (fields: object) => client.post<BroadcastView & { error?: string }>('/api/broadcasts', fields);
const change = (id: string, fields: object) => changeDraft(client, id, fields);

async function archivedCampaign(name: string): Promise<void> {
  const { body } = await client.post<{ id: string }>('/api/campaigns', { name });
  await client.post(`/api/campaigns/${body.id}/archive`);
}

async function stored(): Promise<{ campaigns: number; contents: number; used: number }> {
  const [row] = await service.database.query<{ campaigns: number; contents: number }>(
    `select (select count(*)::integer from campaigns where organization_id = $1 and archived_at is null) as campaigns,
            (select count(*)::integer from attachment_contents where organization_id = $1) as contents`,
    [client.organizationId],
  );
  const { body } = await client.get<UsageView>('/api/usage');
  return { ...row!, used: body.budgets.storedBytes.used };
}

const { from, subject, htmlContent } = draft;
const message = { from, subject, htmlContent };
const nothing = { campaigns: 0, contents: 0, used: 0 };

it('a draft whose message and attachments together exceed the budget of stored bytes leaves nothing', async () => {
  const refused = await create({
    ...draft,
    campaignId: 'News',
    htmlContent: html(30_000),
    attachments: [file(30_000)],
  });
  expect(refused.status).toBe(403);
  expect(await stored()).toEqual(nothing);
});

it('a draft whose attachments exceed the budget of stored bytes leaves nothing', async () => {
  const refused = await create({ ...draft, campaignId: 'News', attachments: [file(LIMIT + 1)] });
  expect(refused.status).toBe(403);
  expect(await stored()).toEqual(nothing);
});

it('a draft for an archived campaign leaves nothing', async () => {
  await archivedCampaign('Old');
  expect((await create({ ...draft, campaignId: 'Old', attachments: [file(900)] })).status).toBe(400);
  expect(await stored()).toEqual(nothing);
});

it('a draft for one campaign more than the plan allows leaves nothing', async () => {
  await client.post('/api/campaigns', { name: 'The only one' });
  expect((await create({ ...draft, campaignId: 'News', attachments: [file(900)] })).status).toBe(403);
  expect(await stored()).toEqual({ ...nothing, campaigns: 1 });
});

it('a refused change of a draft leaves nothing', async () => {
  const { body } = await create(draft);
  const before = await stored();
  const fields = { campaignId: 'News', htmlContent: html(30_000), attachments: [file(30_000)] };
  expect((await change(body.id, fields)).status).toBe(403);
  expect(await stored()).toEqual(before);
});

it('a change of an older version of a draft leaves nothing', async () => {
  const { body } = await create(draft);
  const { version } = (await client.get<{ version: string }>(`/api/broadcasts/${body.id}`)).body;
  expect((await change(body.id, { subject: 'Second' })).status).toBe(200);
  const before = await stored();
  const fields = { version, campaignId: 'News', attachments: [file(900)] };
  expect((await change(body.id, fields)).status).toBe(409);
  expect(await stored()).toEqual(before);
});

it('a draft that is changed while it is sent with its version leaves no campaign', async () => {
  const { body } = await create(draft);
  const path = `/api/broadcasts/${body.id}`;
  await client.post(`${path}/recipients`, { recipients: [{ to: 'ada@example.com' }] });
  const { version } = (await client.get<{ version: string }>(path)).body;
  let late: Promise<{ status: number }> | undefined;
  await whileLocked(
    service.database,
    // The campaign of the broadcast waits for this lock.
    (sql) => sql.query('select from organizations where id = $1 for no key update', [client.organizationId]),
    async () => {
      late = client.post(`${path}/send`, { version });
      await lockedOut(service.database, 1);
      expect((await change(body.id, { subject: 'Second' })).status).toBe(200);
    },
  );
  expect((await late!).status).toBe(409);
  expect((await stored()).campaigns).toBe(0);
});

it('an email for one campaign more than the plan allows leaves nothing', async () => {
  await client.post('/api/campaigns', { name: 'The only one' });
  const email = { ...message, to: 'ada@example.com', campaignId: 'News', attachments: [file(900)] };
  expect((await client.post('/api/send', email, { prefer: 'respond-async' })).status).toBe(403);
  expect(await stored()).toEqual({ ...nothing, campaigns: 1 });
});

it('a batch whose attachments exceed the budget of stored bytes leaves nothing', async () => {
  const emails = [{ ...message, to: 'ada@example.com', campaignId: 'News', attachments: [file(LIMIT + 1)] }];
  expect((await client.post('/api/send/batch', { emails })).status).toBe(403);
  expect(await stored()).toEqual(nothing);
});

it('drafts that name one new campaign at the same time create it once', async () => {
  client = await service.organization('pro');
  const drafts = await Promise.all([1, 2, 3, 4].map(() => create({ ...draft, campaignId: 'News' })));
  expect(drafts.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect((await stored()).campaigns).toBe(1);
});
