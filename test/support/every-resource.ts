import { BroadcastClient } from './broadcast-client.js';
import type { TestClient } from './service.js';

/** Creates, changes and deletes one of each resource that an organization can have, and reads the lists. */
export async function useEveryResource(client: TestClient, webhookUrl: string): Promise<void> {
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await client.post(path, body);
    expect([path, status]).toEqual([path, 201]);
    return String(made.id ?? '');
  };
  const template = await make('/api/templates', { name: 'T', subject: 'S', htmlContent: '<p>{{ x }}</p>' });
  await client.put(`/api/templates/${template}`, { name: 'T', subject: 'S2', htmlContent: '<p>y</p>' });
  const domain = await make('/api/domains', { domain: 'acme.example' });
  await client.post(`/api/domains/${domain}/verify`);
  const trackingDomain = await make('/api/tracking-domains', { domain: 'click.acme.example' });
  await client.post(`/api/tracking-domains/${trackingDomain}/verify`);
  const ownProvider = { name: 'main', type: 'resend', credentials: { apiKey: 're_123456789' } };
  const provider = await make('/api/providers', ownProvider);
  await client.patch(`/api/providers/${provider}`, { weight: 1 });
  const key = await make('/api/keys', { name: 'k', scopes: ['read'] });
  const campaign = await make('/api/campaigns', { name: 'Autumn' });
  const broadcast = await new BroadcastClient(client).create({ name: 'Draft' });
  const webhook = await make('/api/webhooks', { url: webhookUrl, events: ['EMAIL_SENT'] });
  await client.patch(`/api/webhooks/${webhook}`, { enabled: false });
  await client.post(`/api/webhooks/${webhook}/rotate-secret`);
  await client.post(`/api/webhooks/${webhook}/test`);
  await client.post(`/api/webhooks/${webhook}/replay`, { since: new Date(Date.now() - 3_600_000).toISOString() });
  expect((await client.post(`/api/campaigns/${campaign}/archive`)).status).toBe(200);
  await client.post('/api/suppressions', { addresses: ['a@example.com', 'b@example.com'] });
  for (const path of [
    ...[
      `/api/templates/${template}`,
      `/api/domains/${domain}`,
      `/api/tracking-domains/${trackingDomain}`,
      `/api/providers/${provider}`,
      `/api/keys/${key}`,
      `/api/broadcasts/${broadcast}`,
    ],
    ...[`/api/webhooks/${webhook}`, '/api/suppressions/a%40example.com'],
  ])
    expect([path, (await client.delete(path)).status]).toEqual([path, 204]);
  for (const list of [
    'audit',
    'usage',
    'sending',
    'emails',
    'contacts?search=a',
    'campaigns',
    'providers',
    'emails?tag=x&state=sent',
  ])
    expect([list, (await client.get(`/api/${list}`)).status]).toEqual([list, 200]);
}
