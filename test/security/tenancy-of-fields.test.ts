import { ApiDocument, type Json } from '../support/openapi/api-document.js';
import { LiveEvents } from '../support/live-events.js';
import { TestService, type TestClient } from '../support/service.js';
import { isPageOfOneItem, referencingParameters } from './referencing-parameters.js';
import { email, TwoTenants } from './two-tenants.js';

/*
 * V11 beyond paths: every parameter of a query, header or body either refers to nothing stored, or is tried here with
 * data of another organization. The parameters are read from the document, so a new one fails until it is classified.
 */

const MISSING_UUID = '00000000-0000-7000-8000-000000000000';

let service: TestService;
let owner: TestClient;
let otherClient: TestClient;
let campaignId: string;
let templateId: string;
let document: ApiDocument;
let tenants: TwoTenants;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  owner = await service.organization();
  otherClient = await service.organization();
  document = await ApiDocument.of(service);
  campaignId = String((await owner.post('/api/campaigns', { name: 'Secret' })).body.id);
  tenants = new TwoTenants(owner, otherClient, campaignId);
  await owner.post('/api/campaigns', { name: 'Another' });
  for (const to of [email.to, 'second@example.com'])
    await owner.post('/api/emails', { ...email, to, campaignId, tags: ['secret-tag'] });
  await owner.post('/api/keys', { name: 'Second' });
  await owner.post('/api/suppressions', { addresses: ['blocked@example.com', 'other@example.com'] });
  for (const name of ['First', 'Second']) {
    const { body } = await owner.post('/api/templates', { name, subject: 'S', htmlContent: 'Secret' });
    templateId = String(body.id);
  }
  for (const name of ['First', 'Second']) await owner.post('/api/broadcasts', { name, ...email });
  for (const host of ['one', 'two']) await owner.post('/api/webhooks', { url: `https://${host}.example/` });
  for (const name of ['First', 'Second'])
    await owner.post('/api/providers', { name, type: 'resend', credentials: { apiKey: 're_secret' } });
  await service.database.query(
    `insert into sending_domains (id, organization_id, domain, status, verified_at)
     values (gen_random_uuid(), $1, 'acme.example', 'verified', now()), (gen_random_uuid(), $1, 'b.example', 'pending', null)`,
    [owner.organizationId],
  );
  for (const domain of ['one.acme.example', 'two.acme.example']) await owner.post('/api/tracking-domains', { domain });
});
afterAll(() => service?.stop());

type Attempt = [string, () => Promise<void>];

function emailFilters(path: string): Attempt[] {
  const tried = (name: string, existing: () => string[], missing: string): Attempt => [
    `GET ${path} query.${name}`,
    () => tenants.expectUnknown((value) => `${path}?${name}=${value}`, existing(), missing),
  ];
  return [
    tried('tag', () => ['secret-tag'], 'no-tag'),
    tried('search', () => ['reader', 'example.com'], 'nobody'),
    tried('from', () => ['ada@acme.example'], 'nobody@acme.example'),
    tried('campaignId', () => [campaignId, 'Secret'], MISSING_UUID),
    tried('recipient', () => [email.to], 'nobody@example.com'),
  ];
}

function auditFilters(path: string): Attempt[] {
  const tried = (name: string, existing: () => string, missing: string): Attempt => [
    `GET ${path} query.${name}`,
    () => tenants.expectUnknown((value) => `${path}?${name}=${value}`, [existing()], missing),
  ];
  return [
    tried('actor', () => `key:${owner.apiKey.split('_')[1]}`, 'key:nobody'),
    tried('target', () => `campaign:${campaignId}`, `campaign:${MISSING_UUID}`),
  ];
}

const expectNoSuppression = (path: string) =>
  tenants.expectUnknown((value) => `${path}?search=${value}`, ['blocked', 'blocked@example.com'], 'nobody@example.com');

const LISTS = ['audit', 'broadcasts', 'campaigns', 'contacts', 'domains', 'emails', 'keys', 'suppressions'];

const refersTo: Record<string, () => Promise<void>> = {
  ...Object.fromEntries(
    [...LISTS, 'providers', 'templates', 'tracking-domains', 'webhooks'].map((list) => [
      `GET /api/${list} query.cursor`,
      () => tenants.expectOnlyAPosition(`/api/${list}`),
    ]),
  ),
  ...Object.fromEntries(['/api/audit', '/api/audit/export'].flatMap(auditFilters)),
  ...Object.fromEntries(emailFilters('/api/emails/export')),
  ...Object.fromEntries(emailFilters('/api/emails')),
  'GET /api/stats query.campaignId': () =>
    tenants.expectUnknown((value) => `/api/stats?campaignId=${value}`, [campaignId, 'Secret'], MISSING_UUID),
  'GET /api/contacts query.search': () =>
    tenants.expectUnknown((value) => `/api/contacts?search=${value}`, ['reader', email.to], 'nobody@example.com'),
  ...Object.fromEntries(
    ['broadcasts', 'campaigns', 'templates'].map((list) => [
      `GET /api/${list} query.search`,
      () =>
        tenants.expectUnknown(
          (value) => `/api/${list}?search=${value}`,
          [list === 'campaigns' ? 'Secret' : 'First', 'ec'],
          'Nobody',
        ),
    ]),
  ),
  'GET /api/suppressions query.search': () => expectNoSuppression('/api/suppressions'),
  'GET /api/suppressions/export query.search': () => expectNoSuppression('/api/suppressions/export'),
  'POST /api/send body.campaignId': () => tenants.expectOwnCampaign('/api/send'),
  'POST /api/emails body.campaignId': () => tenants.expectOwnCampaign('/api/emails'),
  'POST /api/send header.Idempotency-Key': () => tenants.expectNoReplay('/api/send'),
  'POST /api/emails header.Idempotency-Key': () => tenants.expectNoReplay('/api/emails'),
  'POST /api/send body.templateId': async () => {
    const { body: unknown } = await otherClient.post('/api/send', { ...email, templateId: MISSING_UUID });
    const { status, body } = await otherClient.post('/api/send', { ...email, templateId });
    expect([status, body]).toEqual([400, unknown]);
    expect((await owner.post('/api/send', { ...email, templateId }, { prefer: 'respond-async' })).status).toBe(202);
  },
  'POST /api/broadcasts body.campaignId': async () => {
    const before = await tenants.ownersCampaign();
    const { status, body } = await otherClient.post('/api/broadcasts', { name: 'B', ...email, campaignId });
    expect(status).toBe(201);
    expect(body.campaignId).not.toBe(campaignId);
    expect((await tenants.ownersCampaign()).body).toEqual(before.body);
  },
  'POST /api/broadcasts body.templateId': async () => {
    const create = (client: TestClient, id: string) =>
      client.post('/api/broadcasts', { name: 'B', from: email.from, templateId: id });
    const { body: unknown } = await create(otherClient, MISSING_UUID);
    const { status, body } = await create(otherClient, templateId);
    expect([status, body]).toEqual([400, unknown]);
    expect((await create(owner, templateId)).status).toBe(201);
  },
  'GET /api/broadcasts/{id}/preview query.to': async () => {
    const draftWith = async (client: TestClient, to: string): Promise<string> => {
      const { body } = await tenants.changeOwnDraft(client, email);
      await client.post(`/api/broadcasts/${String(body.id)}/recipients`, { recipients: [{ to }] });
      return String(body.id);
    };
    const preview = async (client: TestClient, id: string, to: string) =>
      (await client.get(`/api/broadcasts/${id}/preview?to=${to}`)).status;
    const existing = await draftWith(owner, 'secret@example.com');
    const own = await draftWith(otherClient, 'own@example.com');
    expect(await preview(owner, existing, 'secret@example.com')).toBe(200);
    expect(await preview(otherClient, own, 'own@example.com')).toBe(200);
    expect(await preview(otherClient, own, 'secret@example.com')).toBe(404);
  },
  'PUT /api/broadcasts/{id} body.campaignId': async () => {
    const before = await tenants.ownersCampaign();
    const { body } = await tenants.changeOwnDraft(otherClient, { ...email, campaignId });
    expect(body).toMatchObject({ status: 'draft', campaignId: expect.any(String) });
    expect(body.campaignId).not.toBe(campaignId);
    expect((await tenants.ownersCampaign()).body).toEqual(before.body);
  },
  'PUT /api/broadcasts/{id} body.templateId': async () => {
    const { from } = email;
    const { body: unknown } = await tenants.changeOwnDraft(otherClient, { from, templateId: MISSING_UUID });
    const { status, body } = await tenants.changeOwnDraft(otherClient, { from, templateId });
    expect([status, body]).toEqual([400, unknown]);
    expect((await tenants.changeOwnDraft(owner, { from, templateId })).status).toBe(200);
  },
  'PUT /api/broadcasts/{id} body.version': async () => {
    const { body: unknown } = await tenants.changeOwnDraft(otherClient, { ...email, version: MISSING_UUID });
    const version = await tenants.ownersVersion();
    const { status, body } = await tenants.changeOwnDraft(otherClient, { ...email, version });
    expect([status, body]).toEqual([409, unknown]);
  },
  'POST /api/broadcasts/{id}/send body.version': async () => {
    const { body: unknown } = await tenants.sendOwnDraft(otherClient, MISSING_UUID);
    const { status, body } = await tenants.sendOwnDraft(otherClient, await tenants.ownersVersion());
    expect([status, body]).toEqual([409, unknown]);
  },
  'PUT /api/templates/{id} body.version': () => tenants.expectOwnTemplateVersion(),
  'PUT /api/broadcasts/{id} body.from': async () => {
    expect((await tenants.changeOwnDraft(otherClient, email)).body.from).toBe(email.from);
  },
  // The owner of the domain is decided when an email is stored, as for a single one.
  'POST /api/broadcasts body.from': async () => {
    const { body } = await otherClient.post('/api/broadcasts', { name: 'B', ...email });
    expect(body.from).toBe(email.from);
  },
  'POST /api/send body.from': async () => {
    const send = async (client: TestClient) =>
      (await client.post('/api/send', email, { prefer: 'respond-async' })).body.from;
    expect(await send(owner)).toBe('ada@acme.example');
    expect(await send(otherClient)).toMatch(/@platform\.test$/);
  },
  'GET /api/live header.Last-Event-ID': async () => {
    const live = await LiveEvents.follow(service, owner.apiKey);
    await owner.post('/api/emails', email);
    await live.find('email.accepted');
    const existing = await LiveEvents.follow(service, otherClient.apiKey, live.lastId);
    expect(existing.types).toEqual(['refresh', 'ready']);
    for (const one of [live, existing]) one.close();
  },
  'POST /api/send/batch header.Idempotency-Key': () => tenants.expectOwnBatch({ campaignId }),
};

describe('V11: references in a request are resolved within the organization of its key', () => {
  it('every parameter is classified', () => {
    const found = document.operations
      .flatMap((operation) => referencingParameters(document, operation))
      .filter((parameter) => !isPageOfOneItem(parameter));
    expect(found.sort()).toEqual(Object.keys(refersTo).sort());
  });

  it.each(Object.entries(refersTo))('%s', (_name, test) => test());

  it('an organization in the body is ignored', async () => {
    const named: Json = { organizationId: owner.organizationId, organization_id: owner.organizationId };
    const { body } = await otherClient.post('/api/emails', { ...email, ...named });
    expect((await owner.get(`/api/emails/${String(body.id)}`)).status).toBe(404);
    expect((await otherClient.get(`/api/emails/${String(body.id)}`)).status).toBe(200);
  });
});
