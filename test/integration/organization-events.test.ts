import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import {
  addReportingProvider,
  report,
  reportingProviders,
  settingsOf,
  tookOwnProvider,
} from '../support/reporting-providers.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import { CERTIFICATE_URL, SnsSigner, SnsStub, SUBSCRIBE_URL } from '../support/sns-calls.js';
import { sumOfMetric } from '../support/sum-of-metric.js';

const TYPES = ['sendgrid', 'mailgun', 'postmark', 'resend', 'ses'] as const;
type Accounts = ReturnType<typeof reportingProviders>;

let sns: SnsStub;
let signer: SnsSigner;
let service: TestService;
let client: TestClient;
/** The service's accounts, those of the organization, and those of nobody. */
let ofService: Accounts;
let own: Accounts;
let foreign: Accounts;
/** IDs of the organization's providers. */
const ids = new Map<string, string>();

beforeAll(async () => {
  signer = await SnsSigner.create();
  sns = new SnsStub();
  [ofService, own, foreign] = ['service', 'own', 'foreign'].map((name) => reportingProviders(name, signer)) as [
    Accounts,
    Accounts,
    Accounts,
  ];
  service = await TestService.start({ environment: settingsOf(ofService) });
  client = await service.organization();
  for (const type of TYPES)
    ids.set(type, await addReportingProvider(service, client.organizationId, type, own[type].eventKey));
});
beforeEach(() => {
  sns.fetched.length = 0;
  sns.respond = (url) => new Response(url === CERTIFICATE_URL ? signer.certificate : '<ok/>');
});
afterAll(async () => {
  sns?.restore();
  await service?.stop();
});

let sequence = 0;

async function sent(of: TestClient): Promise<{ id: string; address: string }> {
  const address = `reader${(sequence += 1)}@example.com`;
  const email = { from: 'ada@acme.example', to: address, subject: 'S', htmlContent: '<p>x</p>' };
  const { message } = await sendMessage(of, service.mailServer, email);
  await tookOwnProvider(service, message.emailId);
  return { id: message.emailId, address };
}

async function stateOf(of: TestClient, id: string): Promise<string | undefined> {
  return (await of.get<EmailDetail>(`/api/emails/${id}`)).body.recipients[0]?.state;
}

const counted = (metric: string, labels: Record<string, string>) => sumOfMetric(service.metrics, metric, labels);

describe.each(TYPES)("a call of an organization's provider of the type %s", (type) => {
  const labels = { provider: type, owner: 'organization' };

  it('updates the recipient of an email of the organization, and changes nothing when it is repeated', async () => {
    const { id, address } = await sent(client);
    const call = own[type].bounce(id, address);
    const before = await counted('mailbeacon_provider_event_calls_total', { ...labels, outcome: 'stored' });
    for (const repeat of [call, call])
      expect(await report(service, ids.get(type)!, repeat)).toMatchObject({
        status: 200,
        body: { stored: 1, ignored: 0 },
      });
    await eventually(async () => (await stateOf(client, id)) === 'bounced');
    expect((await client.get(`/api/suppressions/${address}`)).status).toBe(200);
    const [row] = await service.database.query<{ reports: number }>(
      'select count(*)::int as reports from delivery_events where email_id = $1',
      [id],
    );
    expect(row).toEqual({ reports: 1 });
    expect(await counted('mailbeacon_provider_event_calls_total', { ...labels, outcome: 'stored' })).toBe(before + 2);
  });

  it('finds its provider by an ID in any case', async () => {
    const { id, address } = await sent(client);
    const call = own[type].bounce(id, address);
    expect((await report(service, ids.get(type)!.toUpperCase(), call)).status).toBe(200);
  });

  it("is refused with another key, and with that of the service's own account", async () => {
    const { id, address } = await sent(client);
    const before = await counted('mailbeacon_provider_event_calls_total', { ...labels, outcome: 'wrong-signature' });
    for (const account of [foreign[type], ofService[type]])
      expect((await report(service, ids.get(type)!, account.bounce(id, address))).status).toBe(401);
    expect(await counted('mailbeacon_provider_event_calls_total', { ...labels, outcome: 'wrong-signature' })).toBe(
      before + 2,
    );
    expect(await stateOf(client, id)).toBe('sent');
  });

  it("is refused by the address of the service's own account", async () => {
    const { id, address } = await sent(client);
    expect((await report(service, type, own[type].bounce(id, address))).status).toBe(401);
    expect((await report(service, type, ofService[type].bounce(id, address))).status).toBe(200);
  });

  it('about the email of another organization changes nothing', async () => {
    const victim = await service.organization();
    const { id, address } = await sent(victim);
    const before = await counted('mailbeacon_provider_events_total', { ...labels, result: 'not-ours' });
    expect(await report(service, ids.get(type)!, own[type].bounce(id, address))).toMatchObject({
      status: 200,
      body: { stored: 0, ignored: 1 },
    });
    expect(await counted('mailbeacon_provider_events_total', { ...labels, result: 'not-ours' })).toBe(before + 1);
    const mine = await sent(client);
    await report(service, ids.get(type)!, own[type].bounce(mine.id, mine.address));
    await eventually(async () => (await stateOf(client, mine.id)) === 'bounced');
    expect(await stateOf(victim, id)).toBe('sent');
    expect((await victim.get(`/api/suppressions/${address}`)).status).toBe(404);
  });
});

describe('a report about an organization that was suspended after it sent the email', () => {
  it('is stored: the provider would not send it again, and the organization may be resumed', async () => {
    const suspended = await service.organization();
    const { organizationId } = suspended;
    const provider = await addReportingProvider(service, organizationId, 'postmark', own.postmark.eventKey);
    const { id, address } = await sent(suspended);
    await suspendOrganization(service.database, organizationId, 'Its invoice is overdue');
    expect(await report(service, provider, own.postmark.bounce(id, address))).toMatchObject({ status: 200 });
    await resumeSending(service.database, organizationId);
    await eventually(async () => (await stateOf(suspended, id)) === 'bounced');
    expect((await suspended.get(`/api/suppressions/${address}`)).status).toBe(200);
  });
});

describe('a subscription of Amazon SNS', () => {
  const confirmation = (topic: string) => ({
    body: JSON.stringify(signer.message('x', { Type: 'SubscriptionConfirmation', TopicArn: topic })),
    headers: { 'content-type': 'text/plain' },
  });

  it('of a topic of the event key is confirmed', async () => {
    const response = await report(service, ids.get('ses')!, confirmation(own.ses.eventKey));
    expect(response).toMatchObject({ status: 200, body: { stored: 0, ignored: 1 } });
    expect(sns.fetched).toContain(SUBSCRIBE_URL);
  });

  it('is confirmed few times a minute, because the organization can repeat the message', async () => {
    const call = confirmation(own.ses.eventKey);
    const responses = await Promise.all(Array.from({ length: 20 }, () => report(service, ids.get('ses')!, call)));
    expect(responses.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(10);
    expect(sns.fetched.filter((url) => url === SUBSCRIBE_URL).length).toBeLessThanOrEqual(10);
    expect((await report(service, 'ses', confirmation(ofService.ses.eventKey))).status).toBe(200);
  });

  it('of any other topic is not', async () => {
    for (const topic of [ofService.ses.eventKey, foreign.ses.eventKey])
      expect((await report(service, ids.get('ses')!, confirmation(topic))).status).toBe(401);
    expect(sns.fetched).not.toContain(SUBSCRIBE_URL);
  });
});
