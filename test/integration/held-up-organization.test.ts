import { randomUUID } from 'node:crypto';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

/** Connections of the API process. */
const CONNECTIONS = 4;

let service: TestService;
let held: TestClient;
let other: TestClient;

beforeAll(async () => {
  const environment = { ROLES: 'api', DATABASE_POOL_SIZE: String(CONNECTIONS) };
  service = await TestService.start({ environment });
  [held, other] = await Promise.all([service.organization(), service.organization()]);
});
afterAll(() => service?.stop());

const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', textContent: 'x' };
const send = async (client: TestClient) => (await client.post('/api/send', email, { prefer: 'respond-async' })).status;
const sendBatch = async (client: TestClient) => (await client.post('/api/send/batch', { emails: [email] })).status;

/** Sends mail of one organization whose statements take long, as if its contact were being erased. */
async function whileHeldUp(sendHeld: typeof send, meanwhile: () => Promise<void>): Promise<number[]> {
  expect(await send(held)).toBe(202);
  const sending: Promise<number>[] = [];
  await whileLocked(
    service.database,
    (sql) => sql.query('select from contacts where organization_id = $1 for update', [held.organizationId]),
    async () => {
      for (let n = 1; n <= 2 * CONNECTIONS; n++) sending.push(sendHeld(held));
      await lockedOut(service.database, 1);
      // Further ones arrive while the first statement waits, over a longer time than others wait for it.
      for (let n = 1; n <= 40; n++) {
        await meanwhile();
        sending.push(sendHeld(held));
      }
      await meanwhile();
    },
  );
  return Promise.all(sending);
}

it('Reads of one organization that take long leave connections to other organizations', async () => {
  const { organizationId } = held;
  await service.database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Spring')`, [
    ...[organizationId, organizationId],
  ]);
  const draft = { name: 'Spring', from: email.from, subject: 'S', textContent: 'x' };
  const broadcast = `broadcasts/${(await held.post('/api/broadcasts', draft)).body.id}`;
  const paths = ['contacts', 'contacts?search=ada', 'contacts/ada@example.com', `campaigns/${organizationId}`, 'stats'];
  const lists = ['emails', 'suppressions', 'campaigns', 'broadcasts', broadcast, `${broadcast}/recipients`];
  const htmlContent = '<p>x</p>';
  const inHtml = { ...email, htmlContent };
  const { body: sent } = await held.post<{ emailTrackingId: string }>('/api/send', inHtml, { prefer: 'respond-async' });
  const written = { name: 'Spring', subject: 'S', htmlContent };
  const template = `templates/${(await held.post('/api/templates', written)).body.id}`;
  const webhook = `webhooks/${(await held.post('/api/webhooks', { url: 'https://hooks.example.com/' })).body.id}`;
  const contents = [
    ...[template, `${template}/versions`, `${template}/versions/1`, `${broadcast}/message`],
    ...[`emails/${sent.emailTrackingId}/preview`, `${webhook}/deliveries`],
  ];
  const scans = [
    'audit?target=key',
    'audit/export',
    'templates?search=spring',
    `campaigns/${organizationId}/click-map`,
  ];
  const tables =
    'contacts, emails, campaigns, hourly_stats, suppressions, broadcasts, broadcast_recipients, audit_entries, templates, webhook_deliveries';
  const all = [...contents, ...scans, ...paths, ...lists];
  const statuses = await whileReadersWait(tables, () =>
    all.map(async (path) => [path, (await held.get(`/api/${path}`)).status]),
  );
  expect(statuses.filter(([, status]) => status !== 200 && status !== 503)).toEqual([]);
});

it('Checks of the recipients of one organization leave connections to other organizations', async () => {
  const sendNew = async () => {
    const inNewCampaign = { ...email, campaignId: randomUUID() };
    return (await held.post('/api/send', inNewCampaign, { prefer: 'respond-async' })).status;
  };
  for (const check of [() => sendBatch(held), sendNew]) {
    const statuses = await whileReadersWait('suppressions', () => Array.from({ length: 2 * CONNECTIONS }, check));
    expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([]);
  }
});

it('Changes and reads of one organization together leave connections to other organizations', async () => {
  const readContacts = async () => (await held.get('/api/contacts')).status;
  const start = () => Array.from({ length: 2 * CONNECTIONS }, () => [sendBatch(held), readContacts()]).flat();
  const statuses = await whileReadersWait('contacts', start);
  expect(statuses.filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
});

describe('Template requests of one organization leave connections to other organizations:', () => {
  const { from, to } = email;
  let templateId: string;
  let changes = 0;

  beforeAll(async () => {
    const written = { name: 'Summer', subject: 'S', htmlContent: '<p>x</p>' };
    templateId = (await held.post<{ id: string }>('/api/templates', written)).body.id;
  });

  it.each<[string, () => Promise<{ status: number }>]>([
    ['previews', () => held.get(`/api/templates/${templateId}/preview`)],
    ['renderings', () => held.post(`/api/templates/${templateId}/render`, {})],
    ['sends', () => held.post('/api/send', { from, to, templateId }, { prefer: 'respond-async' })],
    ['batches', () => held.post('/api/send/batch', { emails: [{ from, to, templateId }] })],
    ['broadcasts', () => held.post('/api/broadcasts', { name: 'Summer', from, templateId })],
    [
      'changes',
      () => held.put(`/api/templates/${templateId}`, { name: 'Summer', subject: `${changes++}`, htmlContent: 'x' }),
    ],
  ])('%s', async (_, request) => {
    const responses = await whileReadersWait('template_versions', () =>
      Array.from({ length: 2 * CONNECTIONS }, request),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 201, 202, 503].includes(status))).toEqual([]);
  });
});

it('Previews of emails of broadcasts leave connections to other organizations', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 2 * CONNECTIONS; n++) {
    const draft = { name: 'Autumn', from: email.from, subject: 'S', htmlContent: '<p>x</p>' };
    const { body: broadcast } = await held.post<{ id: string }>('/api/broadcasts', draft);
    const { body: sent } = await held.post<{ emailTrackingId: string }>('/api/send', email, {
      prefer: 'respond-async',
    });
    // As if the broadcast had sent it. Each has a message of its own, because messages are cached.
    await service.database.query('update emails set broadcast_id = $1 where tracking_id = $2', [
      ...[broadcast.id, sent.emailTrackingId],
    ]);
    ids.push(sent.emailTrackingId);
  }
  const responses = await whileReadersWait('messages', () => ids.map((id) => held.get(`/api/emails/${id}/preview`)));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

/** Starts requests of one organization that wait until nobody has locked the tables, and others of another one. */
async function whileReadersWait<Result>(tables: string, start: () => Promise<Result>[]): Promise<Result[]> {
  let started: Promise<Result>[] = [];
  await whileLocked(
    service.database,
    (sql) => sql.query(`lock table ${tables} in access exclusive mode`),
    async () => {
      started = start();
      await lockedOut(service.database, 1);
      for (let n = 1; n <= 40; n++) expect((await other.get('/api/webhooks')).status).toBe(200);
    },
  );
  return Promise.all(started);
}

it.each([
  ['Batches', sendBatch],
  ['Sends', send],
])('%s of one organization that wait for a lock leave connections to other organizations', async (_, sendHeld) => {
  const statuses = await whileHeldUp(sendHeld, async () => expect(await send(other)).toBe(202));
  // One that waited for five seconds has to be sent again.
  expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([]);
  expect(statuses).toContain(202);
});
