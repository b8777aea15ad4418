import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { CampaignView } from '../../src/campaigns/campaigns.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { ownedParameters, type Owned } from '../support/owned-items.js';
import { apiRoutes, nameOf, type Route } from '../support/routes.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let owner: TestClient;
let otherClient: TestClient;
let owned: Owned;

const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<a href="https://example.com/a">a</a>' };

/** Routes that need no key. */
const open = new Set<string>();

const routes = apiRoutes();

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  owner = await service.organization();
  otherClient = await service.organization();
  const { body: campaign } = await owner.post<CampaignView>('/api/campaigns', { name: 'Secret' });
  const { body } = await owner.post<TrackResponse>('/api/emails', { ...email, campaignId: campaign.id });
  const { body: webhook } = await owner.post('/api/webhooks', { url: 'https://hooks.example/' });
  const { body: delivery } = await owner.post(`/api/webhooks/${String(webhook.id)}/test`);
  const { body: domain } = await owner.post('/api/domains', { domain: 'secret.example' });
  const { body: trackingDomain } = await owner.post('/api/tracking-domains', { domain: 'click.secret.example' });
  const ownProvider = { name: 'Secret', type: 'resend', credentials: { apiKey: 're_secret' } };
  const { body: provider } = await owner.post('/api/providers', ownProvider);
  const { body: template } = await owner.post('/api/templates', { name: 'Secret', subject: 'S', htmlContent: 'x' });
  await owner.post('/api/suppressions', { address: 'blocked@example.com' });
  const draft = { name: 'Secret', from: 'ada@acme.example', subject: 'S', htmlContent: '<p>a</p>' };
  const { body: broadcast } = await owner.post('/api/broadcasts', draft);
  owned = {
    campaign,
    email: body,
    keyId: owner.apiKey.split('_')[1]!,
    webhookId: String(webhook.id),
    domainId: String(domain.id),
    trackingDomainId: String(trackingDomain.id),
    providerId: String(provider.id),
    templateId: String(template.id),
    webhookDeliveryId: String(delivery.id),
    broadcastId: String(broadcast.id),
  };
});
afterAll(() => service?.stop());

/** Bodies for routes that validate the body before anything else. */
const bodies: Record<string, object> = {
  'PATCH /api/webhooks/:id': { enabled: true },
  'PATCH /api/providers/:id': { weight: 1 },
  'PATCH /api/emails/:id': { sendAt: '2027-01-01T00:00:00Z' },
  'PUT /api/broadcasts/:id': { name: 'Mine', from: 'ada@acme.example', subject: 'S', htmlContent: 'x' },
  'PUT /api/templates/:id': { name: 'Mine', subject: 'S', htmlContent: 'x' },
  'POST /api/templates/:id/render': {},
  'POST /api/webhooks/:id/replay': { since: '2026-03-01T09:30:00.000Z' },
  'POST /api/broadcasts/:id/recipients': { recipients: [] },
};

/** @param parameter slashes separate several */
function call(client: TestClient, route: Route, parameter = 'x'): Promise<ApiResponse<unknown>> {
  const values = parameter.split('/');
  const path = route.path.replace(/:\w+/g, () => encodeURIComponent(values.shift() ?? 'x'));
  const body = bodies[nameOf(route)];
  return client.request(path, {
    method: route.method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

it('the table of ownedParameters has exactly the routes with a parameter', () => {
  const withParameter = routes.filter(({ path }) => path.includes(':')).map(nameOf);
  expect(Object.keys(ownedParameters).sort()).toEqual(withParameter.sort());
});

describe('Every endpoint requires the header x-api-key', () => {
  it.each(routes.map((route) => [nameOf(route), route] as const))('%s', async (name, route) => {
    const keyless = service.client('', '');
    const response = await call(keyless, route);
    if (open.has(name)) return expect(response.status).not.toBe(401);
    expect(response).toMatchObject({ status: 401, body: { error: 'Invalid or missing API key' } });
  });
});

describe("What is outside the caller's organization is treated as nonexistent", () => {
  it.each(Object.keys(ownedParameters).map((name) => [name, routes.find((route) => nameOf(route) === name)!] as const))(
    '%s',
    async (name, route) => {
      const { existing, missing } = ownedParameters[name]!(owned);
      const notFound = await call(otherClient, route, missing);
      expect(notFound.status).toBe(404);
      for (const parameter of existing) {
        const { status, body } = await call(otherClient, route, parameter);
        expect({ status, body }).toEqual({ status: 404, body: notFound.body });
        // The resource does exist: with a wrong path the test would pass otherwise.
        if (route.method === 'GET') expect((await call(owner, route, parameter)).status).toBe(200);
      }
    },
  );

  it('in lists and their filters', async () => {
    const responses = [
      ['/api/campaigns', { campaigns: [] }],
      ['/api/webhooks', { webhooks: [] }],
      ['/api/domains', { domains: [] }],
      ['/api/providers', { providers: [] }],
      ['/api/suppressions', { suppressions: [] }],
      ['/api/suppressions?search=blocked', { suppressions: [] }],
      ['/api/contacts', []],
      ['/api/contacts?search=reader', []],
      ['/api/emails', { emails: [] }],
      [`/api/emails?campaignId=${owned.campaign.id}`, { emails: [] }],
      ['/api/emails?campaignId=Secret', { emails: [] }],
      ['/api/emails?recipient=reader@example.com', { emails: [] }],
      ['/api/emails?status=tracked', { emails: [] }],
    ] as const;
    for (const [path, nothing] of responses) expect((await otherClient.get(path)).body).toEqual(nothing);
    const { body } = await otherClient.get<{ keys: { id: string }[] }>('/api/keys');
    expect(body.keys.map(({ id }) => id)).toEqual([otherClient.apiKey.split('_')[1]]);
  });

  it('in a path with two IDs, whichever of them belongs to the other organization', async () => {
    const { body: own } = await otherClient.post('/api/webhooks', { url: 'https://hooks.example/' });
    const delivered = async (): Promise<unknown> => {
      const table = 'webhook_deliveries';
      const rows = await service.database.query(`select * from ${table} where id = $1`, [owned.webhookDeliveryId]);
      return rows[0];
    };
    await service.database.query(
      `update webhook_deliveries set status = 'delivered', finished_at = now(), attempts = 1 where id = $1`,
      [owned.webhookDeliveryId],
    );
    const before = await delivered();
    expect(before).toMatchObject({ status: 'delivered' });
    for (const id of [own.id, owned.webhookId]) {
      const response = await otherClient.post(
        `/api/webhooks/${String(id)}/deliveries/${owned.webhookDeliveryId}/retry`,
      );
      expect(response.status).toBe(404);
      // A 404 alone would not show whether the delivery is repeated.
      expect(await delivered()).toEqual(before);
    }
    await otherClient.delete(`/api/webhooks/${String(own.id)}`);
  });

  it('in bodies: a campaign ID of another organization is a name like any other', async () => {
    const bodies = { organizationId: owner.organizationId, organization_id: owner.organizationId };
    for (const campaignId of [owned.campaign.id, 'Secret']) {
      const { body } = await otherClient.post('/api/emails', { ...email, campaignId, ...bodies });
      expect((await otherClient.get(`/api/emails/${body.id}`)).body).toMatchObject({ campaign: campaignId });
      expect((await owner.get(`/api/emails/${body.id}`)).status).toBe(404);
    }
    const { body } = await owner.get<CampaignDetail>(`/api/campaigns/${owned.campaign.id}`);
    expect(body).toMatchObject({ archivedAt: null, stats: { totalEmails: 1 }, emails: [{ id: owned.email.id }] });
  });
});
