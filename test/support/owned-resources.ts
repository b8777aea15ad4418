import type { TestClient } from './service.js';

/** Creates resources of the client. Returns their IDs by the segment of the path after `/api/`. */
export async function createOwnedResources(owner: TestClient): Promise<Record<string, string>> {
  const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<a href="https://example.com/">a</a>' };
  const { body: campaign } = await owner.post('/api/campaigns', { name: 'Sale' });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = { ...email, from: 'ada@acme.example', campaignId: 'Sale', sendAt: tomorrow };
  const { body: later } = await owner.post('/api/send', scheduled);
  const { body: webhook } = await owner.post('/api/webhooks', { url: 'https://hooks.example/' });
  const { body: domain } = await owner.post('/api/domains', { domain: 'owner.example' });
  const { body: trackingDomain } = await owner.post('/api/tracking-domains', { domain: 'click.owner.example' });
  const { body: template } = await owner.post('/api/templates', {
    name: 'Sale',
    subject: 'S',
    htmlContent: '<p>x</p>',
  });
  const ownProvider = { name: 'Backup', type: 'resend', credentials: { apiKey: 're_123456789' } };
  const { body: provider } = await owner.post('/api/providers', ownProvider);
  await owner.post('/api/suppressions', { address: 'blocked@example.com' });
  const draft = { name: 'Sale', from: 'ada@acme.example', subject: 'S', htmlContent: '<p>a</p>' };
  const { body: broadcast } = await owner.post('/api/broadcasts', draft);
  const ids = {
    broadcasts: broadcast.id,
    campaigns: campaign.id,
    emails: later.emailTrackingId,
    webhooks: webhook.id,
    domains: domain.id,
    'tracking-domains': trackingDomain.id,
    providers: provider.id,
    templates: template.id,
  };
  return {
    ...(ids as Record<string, string>),
    contacts: 'reader@example.com',
    suppressions: 'blocked@example.com',
    keys: 'AAAAAAAAAAAA',
  };
}
