import { randomUUID } from 'node:crypto';
import type { AuditEntryView } from '../../src/organizations/audit/audit-entries.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { domainScenarios, idOf, providerScenarios, type Scenario } from '../support/audit-scenarios.js';
import { managingRoutes } from '../support/managing-routes.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

async function entries(query = '', by = client): Promise<AuditEntryView[]> {
  const { status, body } = await by.get<{ entries: AuditEntryView[] }>(`/api/audit${query}`);
  expect([status, body]).toEqual([200, { entries: expect.any(Array) as unknown }]);
  return body.entries;
}

const webhook = (): Promise<string> => idOf(client.post('/api/webhooks', { url: 'http://127.0.0.1:9/' }));
const template = { name: 'Hello', subject: 'Hello', htmlContent: '<p>Hello</p>' };
const storedTemplate = async (): Promise<string> =>
  `/api/templates/${await idOf(client.post('/api/templates', template))}`;
const csv = { 'content-type': 'text/csv' };

const user = async (): Promise<string> => (await newUser(service, client.organizationId, 'viewer')).id;
const invited = { email: 'grace@acme.example', role: 'member' };

const message = { from: 'ada@acme.example', to: 'jane@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

async function scheduled(): Promise<string> {
  const { headers } = await client.post('/api/send', { ...message, sendAt: tomorrow() });
  return headers.get('location')!;
}

async function failed(): Promise<string> {
  const path = await scheduled();
  const { id } = (await client.get<{ id: string }>(path)).body;
  await service.database.query('delete from pending_emails where email_id = $1', [id]);
  await service.database.query(`update emails set status = 'failed', failed_at = now() where id = $1`, [id]);
  return path;
}

/** A request to every route that changes data. */
const SCENARIOS: Record<string, Scenario> = {
  'POST /api/emails/{id}/cancel': { action: 'email.canceled', prepare: async () => `${await scheduled()}/cancel` },
  'PATCH /api/emails/{id}': { action: 'email.rescheduled', prepare: scheduled, body: { sendAt: tomorrow() } },
  'POST /api/emails/{id}/retry': { action: 'email.retried', prepare: async () => `${await failed()}/retry` },
  'POST /api/keys': { action: 'key.created', body: { name: 'Shop' } },
  'DELETE /api/keys/{id}': {
    action: 'key.revoked',
    prepare: async () => `/api/keys/${await idOf(client.post('/api/keys', {}))}`,
  },
  'POST /api/campaigns': { action: 'campaign.created', body: { name: 'Spring' } },
  'POST /api/campaigns/{id}/archive': {
    action: 'campaign.archived',
    prepare: async () => `/api/campaigns/${await idOf(client.post('/api/campaigns', { name: 'Old' }))}/archive`,
  },
  'DELETE /api/contacts/{email}': {
    action: 'contact.erased',
    prepare: async () => {
      await client.post('/api/send', message, { prefer: 'respond-async' });
      return '/api/contacts/jane@example.com';
    },
  },
  ...domainScenarios(() => client, '/api/domains', 'domain'),
  ...domainScenarios(() => client, '/api/tracking-domains', 'tracking-domain'),
  ...providerScenarios(() => client),
  'POST /api/suppressions': { action: 'suppression.added', body: { addresses: ['jane@example.com'] } },
  'POST /api/suppressions/import': {
    action: 'suppression.imported',
    body: 'address\njane@example.com\n',
    headers: csv,
  },
  'DELETE /api/suppressions/{address}': {
    action: 'suppression.deleted',
    prepare: async () => {
      await client.post('/api/suppressions', { addresses: ['jane@example.com'] });
      return '/api/suppressions/jane@example.com';
    },
  },
  'POST /api/templates': { action: 'template.created', body: template },
  'PUT /api/templates/{id}': { action: 'template.changed', prepare: storedTemplate, body: template },
  'DELETE /api/templates/{id}': { action: 'template.deleted', prepare: storedTemplate },
  'POST /api/webhooks': { action: 'webhook.created', body: { url: 'http://127.0.0.1:9/' } },
  'PATCH /api/webhooks/{id}': {
    action: 'webhook.changed',
    prepare: async () => `/api/webhooks/${await webhook()}`,
    body: { enabled: false },
  },
  'DELETE /api/webhooks/{id}': { action: 'webhook.deleted', prepare: async () => `/api/webhooks/${await webhook()}` },
  'POST /api/webhooks/{id}/rotate-secret': {
    action: 'webhook.secret-rotated',
    prepare: async () => `/api/webhooks/${await webhook()}/rotate-secret`,
  },
  'POST /api/webhooks/{id}/test': {
    action: 'webhook.tested',
    prepare: async () => `/api/webhooks/${await webhook()}/test`,
  },
  'POST /api/webhooks/{id}/deliveries/{deliveryId}/retry': {
    action: 'webhook.delivery-retried',
    prepare: async () => {
      const id = await webhook();
      return `/api/webhooks/${id}/deliveries/${await idOf(client.post(`/api/webhooks/${id}/test`))}/retry`;
    },
  },
  'POST /api/webhooks/{id}/replay': {
    action: 'webhook.replayed',
    prepare: async () => `/api/webhooks/${await webhook()}/replay`,
    body: { since: '2026-01-01T00:00:00Z' },
  },
  'POST /api/users': { action: 'user.created', byUser: true, body: invited },
  'PATCH /api/users/{id}': {
    action: 'user.role-changed',
    byUser: true,
    prepare: async () => `/api/users/${await user()}`,
    body: { role: 'member' },
  },
  'DELETE /api/users/{id}': {
    action: 'user.deleted',
    byUser: true,
    prepare: async () => `/api/users/${await user()}`,
  },
};

/** Sends the request of the scenario as its actor. */
async function send(route: string, scenario: Scenario, requestId: string) {
  const [method, path] = route.split(' ') as [string, string];
  const target = (await scenario.prepare?.()) ?? path;
  const headers = { 'x-request-id': requestId, ...scenario.headers };
  if (scenario.byUser) {
    const owner = await newUser(service, client.organizationId, 'owner');
    const browser = await signedIn(service, owner);
    const { status } = await browser.request(method, target, scenario.body, headers);
    return { status, actor: { kind: 'user', id: owner.id } };
  }
  const body = typeof scenario.body === 'string' ? scenario.body : JSON.stringify(scenario.body);
  const { status } = await client.request(target, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
  });
  return { status, actor: { kind: 'key', id: client.apiKey.split('_')[1] } };
}

describe('the audit log', () => {
  it('covers every route that changes data', async () => {
    const routes = await managingRoutes(service);
    expect(routes.filter((route) => !(route in SCENARIOS))).toEqual([]);
  });

  it.each(Object.entries(SCENARIOS))('records who did what, when, in which request: %s', async (route, scenario) => {
    const before = Date.now();
    const requestId = `audit-${randomUUID()}`;
    const { status, actor } = await send(route, scenario, requestId);
    expect([200, 201, 202, 204]).toContain(status);

    const [entry, ...others] = (await entries()).filter((one) => one.requestId === requestId);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor,
      action: scenario.action,
      target: { kind: expect.stringMatching(/^[a-z-]+$/) as unknown },
    });
    expect(Math.abs(Date.parse(entry!.at) - before)).toBeLessThan(30_000);
  });

  it('has no entry for a refused request', async () => {
    const before = await entries();
    expect((await client.post('/api/webhooks', { url: 'ftp://127.0.0.1' })).status).toBe(400);
    expect((await client.delete(`/api/templates/${randomUUID()}`)).status).toBe(404);
    expect((await client.delete(`/api/keys/unknown`)).status).toBe(404);
    expect(await entries()).toEqual(before);
  });

  it('records operators by name, and shows nothing of other organizations', async () => {
    const other = await service.organization();
    expect((await entries()).map(({ action, actor }) => [action, actor.kind])).toEqual(
      expect.arrayContaining([
        ['organization.created', 'operator'],
        ['key.created', 'operator'],
      ]),
    );
    await client.post('/api/campaigns', { name: 'Mine' });
    expect((await entries('', other)).map(({ action }) => action)).not.toContain('campaign.created');
  });

  it('contains no email address', async () => {
    await client.post('/api/suppressions', { addresses: ['secret@example.com'], note: 'secret@example.com' });
    await client.delete('/api/suppressions/secret@example.com');
    expect(JSON.stringify(await entries())).not.toContain('secret@');
  });
});
