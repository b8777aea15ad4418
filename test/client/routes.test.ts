import { readFileSync } from 'node:fs';
import type { operations } from '../../packages/client/src/api-types.js';
import { ApiDocument } from '../support/openapi/api-document.js';
import { TestService } from '../support/service.js';
import { RecordingClient } from './recording-client.js';

type OperationId = keyof operations;
type Method = (client: RecordingClient, id: (name: string) => string) => Promise<unknown>;

let service: TestService;
let client: RecordingClient;
let document: ApiDocument;

beforeAll(async () => {
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } });
  client = new RecordingClient(service, await service.organization());
  document = await ApiDocument.of(service);
});
afterAll(async () => service?.stop());

const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const broadcast = { ...message, name: 'Sale', to: undefined };
const template = { name: 'Welcome', subject: 'Hi', htmlContent: '<p>Hi {{ name }}</p>' };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const address = 'blocked@example.com';

/**
 * A method for every route; the code does not compile if one is missing. In an order in which the calls can succeed.
 */
const methods: Record<OperationId, Method> = {
  createCampaign: ({ campaigns }) => campaigns.create({ name: 'Spring sale' }),
  listCampaigns: ({ campaigns }) => campaigns.list({ search: 'spring' }).first(),
  getCampaign: ({ campaigns }, id) => campaigns.get(id('createCampaign')),
  sendEmail: ({ emails }) => emails.send({ ...message, campaignId: 'Spring sale' }),
  getCampaignClickMap: ({ campaigns }, id) => campaigns.clickMap(id('createCampaign')),
  sendEmails: ({ emails }) => emails.sendBatch([message, { ...message, subject: 'T' }]),
  trackEmail: ({ emails }) => emails.track({ ...message, campaignId: 'Spring sale' }),
  listEmails: ({ emails }) => emails.list({ limit: 2 }).first(),
  exportEmails: async ({ emails }) => new Response(await emails.export({ campaignId: 'Spring sale' })).text(),
  getEmail: ({ emails }, id) => emails.get(id('sendEmail')),
  listEmailEvents: ({ emails }, id) => emails.events(id('sendEmail')).first(),
  previewEmail: ({ emails }, id) => emails.preview(id('sendEmail')),
  getEmailClickMap: ({ emails }, id) => emails.clickMap(id('sendEmail')),
  getEmailTimeline: ({ emails }, id) => emails.timeline(id('sendEmail')).first(),
  rescheduleEmail: async ({ emails }) => {
    const { emailTrackingId } = await emails.send({ ...message, sendAt: inAnHour() });
    return emails.reschedule(emailTrackingId, { sendAt: inAnHour() });
  },
  cancelEmail: ({ emails }, id) => emails.cancel(id('rescheduleEmail')),
  retryEmail: async ({ emails }) => {
    service.mailServer.scripts.add('refused@example.com', { phase: 'rcpt', reply: '550 5.7.1 No such user' }, 1);
    await emails.send({ ...message, to: 'refused@example.com' }).catch(() => undefined);
    const { items } = await emails.list({ status: 'failed' }).first();
    return emails.retry(items[0]!.id);
  },
  listContacts: ({ contacts }) => contacts.list({ search: 'reader' }).first(),
  getContact: ({ contacts }) => contacts.get('reader@example.com'),
  exportContact: ({ contacts }) => contacts.export('reader@example.com'),
  eraseContact: ({ contacts }) => contacts.erase('reader@example.com'),
  archiveCampaign: ({ campaigns }, id) => campaigns.archive(id('createCampaign')),
  createBroadcast: ({ broadcasts }) => broadcasts.create({ ...broadcast, sendAt: inAnHour() }),
  addBroadcastRecipients: ({ broadcasts }, id) => broadcasts.addRecipients(id('createBroadcast'), [{ to: message.to }]),
  listBroadcasts: ({ broadcasts }) => broadcasts.list({ search: 'sale' }).first(),
  changeBroadcast: ({ broadcasts }, id) => {
    return broadcasts.change(id('createBroadcast'), { ...broadcast, sendAt: inAnHour() });
  },
  getBroadcastMessage: ({ broadcasts }, id) => broadcasts.message(id('createBroadcast')),
  previewBroadcast: ({ broadcasts }, id) => broadcasts.preview(id('createBroadcast'), { to: message.to }),
  findMissingVariables: ({ broadcasts }, id) => broadcasts.missingVariables(id('createBroadcast')),
  listBroadcastRecipients: ({ broadcasts }, id) => broadcasts.recipients(id('createBroadcast')).first(),
  sendBroadcast: ({ broadcasts }, id) => broadcasts.send(id('createBroadcast')),
  pauseBroadcast: ({ broadcasts }, id) => broadcasts.pause(id('createBroadcast')),
  resumeBroadcast: ({ broadcasts }, id) => broadcasts.resume(id('createBroadcast')),
  cancelBroadcast: ({ broadcasts }, id) => broadcasts.cancel(id('createBroadcast')),
  getBroadcast: ({ broadcasts }, id) => broadcasts.get(id('createBroadcast')),
  deleteBroadcast: async ({ broadcasts }) => broadcasts.delete((await broadcasts.create(broadcast)).id),
  addSuppressions: ({ suppressions }) => suppressions.add({ address }),
  listSuppressions: ({ suppressions }) => suppressions.list({ search: 'blocked' }).first(),
  getSuppression: ({ suppressions }) => suppressions.get(address),
  exportSuppressions: async ({ suppressions }) => new Response(await suppressions.export()).text(),
  importSuppressions: ({ suppressions }) => suppressions.import('address\nother@example.com\n'),
  removeSuppression: ({ suppressions }) => suppressions.remove(address),
  createTemplate: ({ templates }) => templates.create(template),
  listTemplates: ({ templates }) => templates.list({ search: 'welcome' }).first(),
  getTemplate: ({ templates }, id) => templates.get(id('createTemplate')),
  changeTemplate: ({ templates }, id) => templates.change(id('createTemplate'), template),
  listTemplateVersions: ({ templates }, id) => templates.versions(id('createTemplate')).first(),
  getTemplateVersion: ({ templates }, id) => templates.version(id('createTemplate'), 1),
  renderTemplate: ({ templates }, id) => templates.render(id('createTemplate'), { variables: { name: 'Ada' } }),
  renderTemplateDraft: ({ templates }) => templates.renderDraft({ ...template, variables: { name: 'Ada' } }),
  previewTemplate: ({ templates }, id) => templates.preview(id('createTemplate'), { variables: '{"name":"Ada"}' }),
  deleteTemplate: ({ templates }, id) => templates.delete(id('createTemplate')),
  createDomain: ({ domains }) => domains.create({ domain: 'acme.example' }),
  listDomains: ({ domains }) => domains.list().first(),
  getDomain: ({ domains }, id) => domains.get(id('createDomain')),
  verifyDomain: ({ domains }, id) => domains.verify(id('createDomain')),
  deleteDomain: ({ domains }, id) => domains.delete(id('createDomain')),
  createTrackingDomain: ({ trackingDomains }) => trackingDomains.create({ domain: 'click.acme.example' }),
  listTrackingDomains: ({ trackingDomains }) => trackingDomains.list().first(),
  getTrackingDomain: ({ trackingDomains }, id) => trackingDomains.get(id('createTrackingDomain')),
  verifyTrackingDomain: ({ trackingDomains }, id) => trackingDomains.verify(id('createTrackingDomain')),
  deleteTrackingDomain: ({ trackingDomains }, id) => trackingDomains.delete(id('createTrackingDomain')),
  createProvider: ({ providers }) =>
    providers.create({ name: 'main', type: 'resend', credentials: { apiKey: 're_123456789' } }),
  listProviders: ({ providers }) => providers.list().first(),
  getProvider: ({ providers }, id) => providers.get(id('createProvider')),
  changeProvider: ({ providers }, id) => providers.change(id('createProvider'), { weight: 1, perSecond: null }),
  deleteProvider: ({ providers }, id) => providers.delete(id('createProvider')),
  // Nothing listens on this port.
  createWebhook: ({ webhooks }) => webhooks.create({ url: 'http://127.0.0.1:9/' }),
  listWebhooks: ({ webhooks }) => webhooks.list().first(),
  getWebhook: ({ webhooks }, id) => webhooks.get(id('createWebhook')),
  changeWebhook: ({ webhooks }, id) => webhooks.change(id('createWebhook'), { people: true }),
  testWebhook: ({ webhooks }, id) => webhooks.test(id('createWebhook')),
  listWebhookDeliveries: ({ webhooks }, id) => webhooks.deliveries(id('createWebhook')).first(),
  getWebhookDelivery: ({ webhooks }, id) => webhooks.delivery(id('createWebhook'), id('testWebhook')),
  retryWebhookDelivery: ({ webhooks }, id) => webhooks.retryDelivery(id('createWebhook'), id('testWebhook')),
  replayWebhookDeliveries: ({ webhooks }, id) => webhooks.replay(id('createWebhook'), { since: inAnHour() }),
  rotateWebhookSecret: ({ webhooks }, id) => webhooks.rotateSecret(id('createWebhook')),
  deleteWebhook: ({ webhooks }, id) => webhooks.delete(id('createWebhook')),
  createKey: ({ keys }) => keys.create({ name: 'Shop', scopes: ['send'] }),
  listKeys: ({ keys }) => keys.list().first(),
  listAuditEntries: ({ audit }) => audit.list({ target: 'key' }).first(),
  exportAuditEntries: async ({ audit }) => new Response(await audit.export({ format: 'ndjson' })).text(),
  getStats: ({ stats }) => stats.get({ campaignId: 'Spring sale', interval: 'hour' }),
  followChanges: async ({ live }) => (await live.follow().next()).value,
  getUsage: ({ usage }) => usage.get(),
  getSendingState: ({ sending }) => sending.get(),
  revokeKey: ({ keys }, id) => keys.revoke(id('createKey')),
};

/** As in `GET /api/emails/{id}` for `GET /api/emails/4711`. */
function routeOf(request: string): string {
  const fits = ({ name }: { name: string }) => new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`).test(request);
  const [exact, template] = [document.operations.find(({ name }) => name === request), document.operations.find(fits)];
  return (exact ?? template)?.operationId ?? request;
}

describe('every route that needs a key has a method, which reaches it', () => {
  const results = new Map<string, unknown>();
  const id = (name: string): string => {
    const { emailTrackingId, id } = results.get(name) as { id: string; emailTrackingId?: string };
    return emailTrackingId ?? id;
  };

  it.each(Object.entries(methods))('%s', async (name, call) => {
    client.succeeded.length = 0;
    results.set(name, await call(client, id));
    expect(client.succeeded.map(routeOf)).toContain(name);
  });

  it('leaves none out', () => {
    expect(Object.keys(methods).sort()).toEqual(document.operations.map(({ operationId }) => operationId).sort());
  });

  it('is described in the README', () => {
    const rows = readFileSync('packages/client/README.md', 'utf8').split('\n');
    const groups = Object.entries(client).filter(([name]) => name !== 'succeeded');
    const described = groups.map(([name]) => rows.find((row) => row.startsWith(`| \`client.${name}\` `)));
    const found = described.map((row) => [...(row ?? '').matchAll(/`(\w+)`/g)].map(([, method]) => method!).sort());
    expect(found).toEqual(groups.map(([, group]) => publicMethods(group as object)));
  });
});

/** What only the group itself calls begins with `#`, which no caller sees. */
function publicMethods(group: object): string[] {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(group));
  return names.filter((name) => name !== 'constructor').sort();
}
