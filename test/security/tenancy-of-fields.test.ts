import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import { ApiDocument, type Json, type Operation } from '../support/api-document.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type Answer, type TestClient } from '../support/service.js';

/*
 * V11 beyond paths: whatever a request can say in its query, its headers and its body either refers to nothing that
 * is stored, or is tried here with what another organization has. What is listed comes from the document, so a new
 * parameter or field fails until it is one or the other.
 */

/** Say something of the request itself, wherever they stand. */
const SPEAK_FOR_THEMSELVES = new Set(
  ['query.limit', 'query.status', 'header.Prefer', 'header.X-Request-Id', 'body.name', 'body.subject'].concat(
    ['body.htmlContent', 'body.metadata', 'body.to', 'body.cc', 'body.bcc', 'body.replyTo'],
    ['body.url', 'body.events', 'body.enabled', 'body.since'],
    ['body.sendAt', 'query.reason', 'body.address', 'body.addresses', 'body.reason', 'body.note', 'body.unsubscribe'],
    ['body.textContent', 'body.variables', 'body.strict'],
    // What a key may do is compared with the key that asks.
    ['body.people', 'body.scopes', 'body.expiresAt', 'body.allowedDomains', 'body.allowedAddresses'],
    ['body.tags', 'body.pace', 'body.recipients.to', 'body.recipients.variables', 'body.recipients.metadata'],
    ['query.since', 'query.until', 'query.state', 'body.headers', 'body.attachments.filename'],
    ['body.attachments.content', 'body.attachments.contentType', 'body.attachments.contentId'],
    // Claiming a domain gives nothing: DNS decides whose it is.
    ['body.domain'],
    // Of an email that somebody else sends: nothing depends on whose domain it is.
    ['POST /api/emails body.from'],
  ),
);

const MISSING_UUID = '00000000-0000-7000-8000-000000000000';
const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;
let owner: TestClient;
let stranger: TestClient;
let campaignId: string;
let templateId: string;
let document: ApiDocument;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  owner = await service.organization();
  stranger = await service.organization();
  document = await ApiDocument.of(service);
  campaignId = String((await owner.post('/api/campaigns', { name: 'Secret' })).body.id);
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
  await service.database.query(
    `insert into sending_domains (id, organization_id, domain, status, verified_at)
     values (gen_random_uuid(), $1, 'acme.example', 'verified', now()), (gen_random_uuid(), $1, 'b.example', 'pending', null)`,
    [owner.organizationId],
  );
});
afterAll(() => service?.stop());

function ownersCampaign(): Promise<Answer<CampaignDetail>> {
  return owner.get<CampaignDetail>(`/api/campaigns/${campaignId}`);
}

/** The same as for what nobody has. */
async function expectUnknown(path: (value: string) => string, theirs: string[], nobodys: string): Promise<void> {
  const { body: unknown } = await stranger.get(path(nobodys));
  for (const value of theirs) {
    expect((await stranger.get(path(value))).body).toEqual(unknown);
    // It is there, though.
    expect((await owner.get(path(value))).body).not.toEqual(unknown);
  }
}

/** A cursor is a place in an order: in another organization's list it is a place, too, and shows nothing of theirs. */
async function expectOnlyAPlace(path: string): Promise<void> {
  const { headers } = await owner.get(`${path}?limit=1`);
  const next = nextPage(headers);
  expect(next).toBeDefined();
  const theirs = await owner.get(next!);
  const { status, body } = await stranger.get(next!);
  expect(status).toBe(200);
  expect(JSON.stringify(theirs.body)).toMatch(/[\w-]{12,}/);
  for (const [id] of JSON.stringify(theirs.body).matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[\w.]+@[\w.]+/g))
    expect(JSON.stringify(body)).not.toContain(id);
}

async function expectNoReplay(path: string): Promise<void> {
  const key = { 'idempotency-key': `the same at ${path}`, prefer: 'respond-async' };
  const theirs = await owner.post(path, email, key);
  const { status, body, headers } = await stranger.post(path, email, key);
  expect([200, 202]).toContain(status);
  expect(headers.get('idempotent-replayed')).toBeNull();
  expect(body.emailTrackingId).not.toBe(theirs.body.emailTrackingId);
  expect((await owner.post(path, email, key)).headers.get('idempotent-replayed')).toBe('true');
}

/** A campaign ID of another organization is a name like any other. */
async function expectOwnCampaign(path: string): Promise<void> {
  const before = await ownersCampaign();
  for (const name of [campaignId, 'Secret']) {
    const { status, body } = await stranger.post(path, { ...email, campaignId: name }, { prefer: 'respond-async' });
    expect([200, 202]).toContain(status);
    const id = String(body.emailTrackingId);
    expect((await stranger.get(`/api/emails/${id}`)).body).toMatchObject({ campaign: name });
    expect((await owner.get(`/api/emails/${id}`)).status).toBe(404);
  }
  expect((await ownersCampaign()).body).toEqual(before.body);
}

/** Each message of a batch is one of POST /api/send. */
const BATCHED = /^body\.emails\./;

async function expectOwnBatch(fields: object): Promise<void> {
  const key = { 'idempotency-key': 'the same batch' };
  const post = (client: TestClient): Promise<Answer<{ emails: { id?: string; error?: string }[] }>> =>
    client.post('/api/send/batch', { emails: [{ ...email, ...fields }] }, key);
  const before = await ownersCampaign();
  const { status, body, headers } = await post(stranger);
  expect([status, headers.get('idempotent-replayed')]).toEqual([202, null]);
  const [sent] = body.emails;
  expect((await owner.get(`/api/emails/${sent!.id}`)).status).toBe(404);
  expect((await ownersCampaign()).body).toEqual(before.body);
  expect((await post(owner)).headers.get('idempotent-replayed')).toBeNull();
}

const refersTo: Record<string, () => Promise<void>> = {
  'GET /api/emails query.tag': () => expectUnknown((value) => `/api/emails?tag=${value}`, ['secret-tag'], 'no-tag'),
  'GET /api/emails query.from': () =>
    expectUnknown((value) => `/api/emails?from=${value}`, ['ada@acme.example'], 'nobody@acme.example'),
  'GET /api/emails query.campaignId': () =>
    expectUnknown((value) => `/api/emails?campaignId=${value}`, [campaignId, 'Secret'], MISSING_UUID),
  'GET /api/emails query.recipient': () =>
    expectUnknown((value) => `/api/emails?recipient=${value}`, [email.to], 'nobody@example.com'),
  'GET /api/contacts query.search': () =>
    expectUnknown((value) => `/api/contacts?search=${value}`, ['reader', email.to], 'nobody@example.com'),
  'GET /api/suppressions query.search': () =>
    expectUnknown(
      (value) => `/api/suppressions?search=${value}`,
      ['blocked', 'blocked@example.com'],
      'nobody@example.com',
    ),
  'GET /api/suppressions query.cursor': () => expectOnlyAPlace('/api/suppressions'),
  'GET /api/campaigns query.cursor': () => expectOnlyAPlace('/api/campaigns'),
  'GET /api/contacts query.cursor': () => expectOnlyAPlace('/api/contacts'),
  'GET /api/emails query.cursor': () => expectOnlyAPlace('/api/emails'),
  'GET /api/keys query.cursor': () => expectOnlyAPlace('/api/keys'),
  'GET /api/domains query.cursor': () => expectOnlyAPlace('/api/domains'),
  'GET /api/webhooks query.cursor': () => expectOnlyAPlace('/api/webhooks'),
  'POST /api/send body.campaignId': () => expectOwnCampaign('/api/send'),
  'POST /api/emails body.campaignId': () => expectOwnCampaign('/api/emails'),
  'POST /api/send header.Idempotency-Key': () => expectNoReplay('/api/send'),
  'POST /api/emails header.Idempotency-Key': () => expectNoReplay('/api/emails'),
  'GET /api/templates query.cursor': () => expectOnlyAPlace('/api/templates'),
  'POST /api/send body.templateId': async () => {
    const { body: unknown } = await stranger.post('/api/send', { ...email, templateId: MISSING_UUID });
    const { status, body } = await stranger.post('/api/send', { ...email, templateId });
    expect([status, body]).toEqual([400, unknown]);
    expect((await owner.post('/api/send', { ...email, templateId }, { prefer: 'respond-async' })).status).toBe(202);
  },
  'GET /api/broadcasts query.cursor': () => expectOnlyAPlace('/api/broadcasts'),
  'POST /api/broadcasts body.campaignId': async () => {
    const before = await ownersCampaign();
    const { status, body } = await stranger.post('/api/broadcasts', { name: 'B', ...email, campaignId });
    expect(status).toBe(201);
    expect(body.campaignId).not.toBe(campaignId);
    expect((await ownersCampaign()).body).toEqual(before.body);
  },
  'POST /api/broadcasts body.templateId': async () => {
    const create = (client: TestClient, id: string) =>
      client.post('/api/broadcasts', { name: 'B', from: email.from, templateId: id });
    const { body: unknown } = await create(stranger, MISSING_UUID);
    const { status, body } = await create(stranger, templateId);
    expect([status, body]).toEqual([400, unknown]);
    expect((await create(owner, templateId)).status).toBe(201);
  },
  // Whose domain it is decides when an email is stored, as for a single one.
  'POST /api/broadcasts body.from': async () => {
    const { body } = await stranger.post('/api/broadcasts', { name: 'B', ...email });
    expect(body.from).toBe(email.from);
  },
  'POST /api/send body.from': async () => {
    const send = async (client: TestClient) =>
      (await client.post('/api/send', email, { prefer: 'respond-async' })).body.from;
    expect(await send(owner)).toBe('ada@acme.example');
    expect(await send(stranger)).toMatch(/@platform\.test$/);
  },
  'POST /api/send/batch header.Idempotency-Key': () => expectOwnBatch({ campaignId }),
};

/** As in `body.to` or, inside an object, `body.order.id`. */
function fieldsOf(schema: object, place: string): string[] {
  const { properties, items } = document.resolve(schema) as { properties?: Record<string, object>; items?: object };
  if (items) return fieldsOf(items, place);
  return properties
    ? Object.entries(properties).flatMap(([name, field]) => fieldsOf(field, `${place}.${name}`))
    : [place];
}

/** All that a request can say beside its path. */
function sayings({ name, parameters, requestBody }: Operation): string[] {
  const schema = requestBody?.content?.['application/json']?.schema;
  const outside = parameters.filter((parameter) => parameter.in !== 'path');
  const places = [
    ...outside.map((parameter) => `${parameter.in}.${parameter.name}`),
    ...(schema ? fieldsOf(schema, 'body').filter((place) => !BATCHED.test(place)) : []),
  ];
  return places.filter((place) => !SPEAK_FOR_THEMSELVES.has(place)).map((place) => `${name} ${place}`);
}

/** Pages of what one item has: the path decides whose it is before the cursor is looked at. */
function isPageOfOneItem(saying: string): boolean {
  return /\{\w+\}.* query\.(cursor|linksCursor)$/.test(saying);
}

describe('V11: what a request refers to is looked for in the organization of its key', () => {
  it('everything that a request can say is known here', () => {
    const found = document.operations
      .flatMap(sayings)
      .filter((saying) => !SPEAK_FOR_THEMSELVES.has(saying) && !isPageOfOneItem(saying));
    expect(found.sort()).toEqual(Object.keys(refersTo).sort());
  });

  it.each(Object.entries(refersTo))('%s', (_name, test) => test());

  it('an organization that the body names is nobody’s', async () => {
    const named: Json = { organizationId: owner.organizationId, organization_id: owner.organizationId };
    const { body } = await stranger.post('/api/emails', { ...email, ...named });
    expect((await owner.get(`/api/emails/${String(body.id)}`)).status).toBe(404);
    expect((await stranger.get(`/api/emails/${String(body.id)}`)).status).toBe(200);
  });
});
