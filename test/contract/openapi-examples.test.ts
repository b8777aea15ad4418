import { ApiDocument, type Json } from '../support/openapi/api-document.js';
import { DocumentedExamples } from '../support/documented-examples.js';
import { apiRoutes, nameOf } from '../support/routes.js';
import { LiveEvents } from '../support/live-events.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let document: ApiDocument;
let examples: DocumentedExamples;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
  document = await ApiDocument.of(service);
  examples = new DocumentedExamples(document, client);
});
afterAll(() => service?.stop());

const routes = apiRoutes().map((route) => nameOf(route).replace(/:(\w+)/g, '{$1}'));

/** The requests of a client from its first send on, in an order in which every referenced resource exists. */
describe('the documented examples, sent', () => {
  let campaignId: string;
  let keyId: string;
  const trackingId = { id: '' };

  const succeeds = async (name: string, status: number | number[], values?: Record<string, string>): Promise<Json> => {
    const op = document.operation(name);
    const response = await examples.send(op, values);
    examples.expectDocumented(op, response);
    expect([status].flat()).toContain(response.status);
    reached.add(name);
    for (const header of Object.keys(op.responses[response.status]!.headers)) {
      if (!SOMETIMES.has(header)) expect([header, response.headers.has(header)]).toEqual([header, true]);
    }
    return response.body as Json;
  };
  const reached = new Set<string>();
  /** Headers that only some responses with the status have. */
  const SOMETIMES = new Set(['Link', 'Idempotent-Replayed']);

  it('creates a campaign, and refuses to create it again', async () => {
    campaignId = (await succeeds('POST /api/campaigns', 201)).id as string;
    const again = await examples.send(document.operation('POST /api/campaigns'));
    expect(again.status).toBe(409);
    examples.expectDocumented(document.operation('POST /api/campaigns'), again);
  });

  it('sends: 202 at once, then the provider accepts', async () => {
    await succeeds('POST /api/send/batch', 202, { 'Idempotency-Key': 'batch-1' });
    const body = await succeeds('POST /api/send', 202);
    trackingId.id = body.emailTrackingId as string;
    const op = document.operation('POST /api/send');
    const waited = await examples.send(op, { Prefer: 'wait', 'Idempotency-Key': 'another' });
    expect(waited.status).toBe(200);
    examples.expectDocumented(op, waited);
  });

  it('retries what failed, and refuses to retry an email that did not fail', async () => {
    const to = 'refused@example.com';
    service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 No such user' }, 1);
    await client.post('/api/send', { from: 'ada@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' });
    const { id } = (await client.get<{ emails: { id: string }[] }>('/api/emails?status=failed')).body.emails[0]!;
    await succeeds('POST /api/emails/{id}/retry', 200, { id });
    const op = document.operation('POST /api/emails/{id}/retry');
    const again = await examples.send(op, { id });
    expect(again.status).toBe(409);
    examples.expectDocumented(op, again);
  });

  it('reschedules an email, cancels one, and refuses both for an email that is not scheduled any more', async () => {
    const example = document.exampleBody(document.operation('POST /api/send'));
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const schedule = async (): Promise<string> =>
      (await client.post<{ emailTrackingId: string }>('/api/send', { ...example, sendAt })).body.emailTrackingId;
    await succeeds('PATCH /api/emails/{id}', 200, { id: await schedule() });
    const id = await schedule();
    await succeeds('POST /api/emails/{id}/cancel', 200, { id });
    for (const name of ['POST /api/emails/{id}/cancel', 'PATCH /api/emails/{id}']) {
      const op = document.operation(name);
      const again = await examples.send(op, { id });
      expect(again.status).toBe(409);
      examples.expectDocumented(op, again);
    }
  });

  it('tracks', async () => {
    const { links, pixelUrl } = await succeeds('POST /api/emails', 200, { 'Idempotency-Key': 'track' });
    await service.track(pixelUrl as string);
    await service.track((links as { trackingUrl: string }[])[0]!.trackingUrl);
  });

  it('refuses a used Idempotency-Key with another body', async () => {
    const op = document.operation('POST /api/send');
    const response = await examples.send(op, {}, { ...document.exampleBody(op), subject: 'Another' });
    expect(response.status).toBe(422);
    examples.expectDocumented(op, response);
  });

  it('creates, fills, sends, pauses, resumes, cancels and deletes a broadcast', async () => {
    const { id } = (await succeeds('POST /api/broadcasts', 201)) as { id: string };
    await succeeds('POST /api/broadcasts/{id}/recipients', 200, { id });
    await succeeds('POST /api/broadcasts/{id}/send', 200, { id });
    await succeeds('GET /api/broadcasts', 200);
    const create = document.exampleBody(document.operation('POST /api/broadcasts'))!;
    const later = { ...create, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
    const { body: scheduled } = await client.post<{ id: string }>('/api/broadcasts', later);
    await client.post(`/api/broadcasts/${scheduled.id}/recipients`, { recipients: [{ to: 'reader@example.com' }] });
    await client.post(`/api/broadcasts/${scheduled.id}/send`);
    for (const move of ['pause', 'resume', 'cancel'])
      await succeeds(`POST /api/broadcasts/{id}/${move}`, 200, scheduled);
    await succeeds('GET /api/broadcasts/{id}', 200, scheduled);
    const { body: draft } = await client.post<{ id: string }>('/api/broadcasts', create);
    await succeeds('PUT /api/broadcasts/{id}', 200, draft);
    for (const part of ['message', 'missing-variables']) await succeeds(`GET /api/broadcasts/{id}/${part}`, 200, draft);
    await succeeds('GET /api/broadcasts/{id}/recipients', 200, draft);
    await client.post(`/api/broadcasts/${draft.id}/recipients`, { recipients: [{ to: 'grace@example.com' }] });
    await succeeds('GET /api/broadcasts/{id}/preview', 200, draft);
    await succeeds('DELETE /api/broadcasts/{id}', 204, draft);
  });

  it('lists, reads and archives', async () => {
    await succeeds('GET /api/campaigns', 200);
    await succeeds('GET /api/campaigns/{id}', 200, { id: campaignId });
    await succeeds('GET /api/contacts', 200);
    await succeeds('GET /api/contacts/{email}', 200);
    await succeeds('GET /api/emails', 200);
    await succeeds('GET /api/emails/export', 200);
    await succeeds('GET /api/emails/{id}', 200, trackingId);
    for (const part of ['events', 'timeline', 'preview', 'click-map'])
      await succeeds(`GET /api/emails/{id}/${part}`, 200, trackingId);
    await succeeds('GET /api/stats', 200);
    await succeeds('GET /api/campaigns/{id}/click-map', 200, { id: campaignId });
    await succeeds('POST /api/campaigns/{id}/archive', 200, { id: campaignId });
  });

  it('suppresses, finds and allows an address', async () => {
    await succeeds('POST /api/suppressions', 201);
    await succeeds('POST /api/suppressions/import', 200);
    await succeeds('GET /api/suppressions/export', 200);
    await succeeds('GET /api/suppressions', 200);
    const address = 'reader@example.com';
    await succeeds('GET /api/suppressions/{address}', 200, { address });
    await succeeds('DELETE /api/suppressions/{address}', 204, { address });
  });

  it('creates, reads, changes, renders and deletes a template', async () => {
    const { id } = (await succeeds('POST /api/templates', 201)) as { id: string };
    await succeeds('GET /api/templates', 200);
    await succeeds('GET /api/templates/{id}', 200, { id });
    await succeeds('PUT /api/templates/{id}', 200, { id });
    await succeeds('POST /api/templates/{id}/render', 200, { id });
    await succeeds('GET /api/templates/{id}/preview', 200, { id });
    await succeeds('POST /api/templates/render', 200);
    await succeeds('GET /api/templates/{id}/versions', 200, { id });
    await succeeds('GET /api/templates/{id}/versions/{version}', 200, { id, version: '1' });
    await succeeds('DELETE /api/templates/{id}', 204, { id });
  });

  it('creates, lists and revokes a key, and reads the usage', async () => {
    keyId = (await succeeds('POST /api/keys', 201)).id as string;
    for (const read of ['keys', 'usage', 'sending']) await succeeds(`GET /api/${read}`, 200);
    await succeeds('DELETE /api/keys/{id}', 204, { id: keyId });
  });

  it('lists and exports who changed what', async () => {
    await succeeds('GET /api/audit', 200);
    await succeeds('GET /api/audit/export', 200);
  });

  it('follows live changes, in a response that does not end', async () => {
    const op = document.operation('GET /api/live');
    const { response } = await LiveEvents.follow(service, client.apiKey);
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    for (const header of Object.keys(op.responses[200]!.headers)) {
      expect(Object.keys(response.headers)).toContain(header.toLowerCase());
    }
    reached.add(op.name);
    response.destroy();
  });

  it('creates, reads, changes, tests, replays and deletes a webhook', async () => {
    const { id } = (await succeeds('POST /api/webhooks', 201)) as { id: string };
    await succeeds('GET /api/webhooks', 200);
    await succeeds('GET /api/webhooks/{id}', 200, { id });
    const { id: deliveryId } = (await succeeds('POST /api/webhooks/{id}/test', 200, { id })) as { id: string };
    await succeeds('GET /api/webhooks/{id}/deliveries', 200, { id });
    await succeeds('GET /api/webhooks/{id}/deliveries/{deliveryId}', 200, { id, deliveryId });
    await succeeds('POST /api/webhooks/{id}/deliveries/{deliveryId}/retry', 200, { id, deliveryId });
    for (const act of ['replay', 'rotate-secret']) await succeeds(`POST /api/webhooks/{id}/${act}`, 200, { id });
    await succeeds('PATCH /api/webhooks/{id}', 200, { id });
    await succeeds('DELETE /api/webhooks/{id}', 204, { id });
  });

  it.each([
    ['domains', 'POST', '/verify'],
    ['tracking-domains', 'POST', '/verify'],
    ['providers', 'PATCH', ''],
  ])('adds, reads, checks or changes, and deletes one of the %s', async (name, method, path) => {
    const { id } = (await succeeds(`POST /api/${name}`, 201)) as { id: string };
    await succeeds(`GET /api/${name}`, 200);
    await succeeds(`GET /api/${name}/{id}`, 200, { id });
    await succeeds(`${method} /api/${name}/{id}${path}`, 200, { id });
    await succeeds(`DELETE /api/${name}/{id}`, 204, { id });
  });

  it('shows the Link header of a list with a next page', async () => {
    await client.post('/api/campaigns', { name: 'Spring one' });
    await client.post('/api/campaigns', { name: 'Spring two' });
    const response = await examples.send(document.operation('GET /api/campaigns'), { limit: '1' });
    expect(response.headers.get('link')).toMatch(/^<\/api\/campaigns\?.*cursor=[\w-]+>; rel="next"$/);
  });

  it('exports and erases a person', async () => {
    const email = 'forgotten@example.com';
    await client.post('/api/emails', { to: email, from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' });
    await succeeds('GET /api/contacts/{email}/export', 200, { email });
    // An erasure that takes longer than two seconds goes on in the background.
    await succeeds('DELETE /api/contacts/{email}', [202, 204], { email });
  });

  it('cover every operation', () => {
    expect([...reached].sort()).toEqual(routes.sort());
  });
});
