import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { TestService, type TestClient } from '../support/service.js';

const key = new EventWebhookKey();
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  // The resend of an email in doubt is due after the end of the test.
  const environment = { AMBIGUOUS_RESEND_AFTER_MS: '3600000', SENDGRID_EVENT_PUBLIC_KEY: key.publicKey };
  service = await TestService.start({ environment });
  client = await service.organization();
});
afterAll(() => service?.stop());

const read = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
const copies = (id: string): number => service.mailServer.messages.filter(({ emailId }) => emailId === id).length;
const settle = (id: string, verdict: 'sent' | 'resend') =>
  settleUnknownOutcome(service.database, id, verdict, () => []);
// The API knows within seconds that the organization sends again.
const retry = (id: string) => eventually(async () => (await client.post(`/api/emails/${id}/retry`)).status === 200);

/** Sends an email that the provider accepts without a response. */
async function doubt(to: string): Promise<string> {
  service.mailServer.scripts.add(to, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  const fields = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  await client.post('/api/send', fields, { prefer: 'respond-async' });
  const { id } = await eventually(async () => {
    const emails = await listUnknownOutcomes(service.database, client.organizationId, 10);
    return emails.find((email) => email.to[0] === to);
  });
  return id;
}

/** `org suspend --cancel`, and `org resume`. */
async function cancelAll(): Promise<void> {
  await suspendOrganization(service.database, client.organizationId, 'It sends spam');
  await cancelOrganizationMail(service.database, client.organizationId);
  await resumeSending(service.database, client.organizationId);
}

async function sent(id: string): Promise<object> {
  const { possibleDuplicate } = await eventually(async () => {
    const email = await read(id);
    return email.status === 'sent' && email;
  });
  return { possibleDuplicate, copies: copies(id) };
}

describe('An email in doubt that was canceled', () => {
  let settled: string;
  let reported: string;
  let resent: string;
  let retried: string;

  beforeAll(async () => {
    settled = await doubt('settled@example.com');
    reported = await doubt('reported@example.com');
    resent = await doubt('resent@example.com');
    retried = await doubt('retried@example.com');
    await cancelAll();
  });

  it('has no flag once an operator settles it as sent', async () => {
    expect(await settle(settled, 'sent')).toBe(true);
    expect(await sent(settled)).toEqual({ possibleDuplicate: false, copies: 1 });
  });

  it('has no flag if it is retried after a report', async () => {
    const event = sendGridEvent('delivered', { email: 'reported@example.com', mailbeacon_email_id: reported });
    const body = JSON.stringify([event]);
    expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
    await retry(reported);
    expect(await sent(reported)).toEqual({ possibleDuplicate: false, copies: 1 });
  });

  it('has the flag if an operator resends it', async () => {
    expect(await settle(resent, 'resend')).toBe(true);
    expect(await sent(resent)).toEqual({ possibleDuplicate: true, copies: 2 });
  });

  it('has the flag if its sender retries it', async () => {
    await retry(retried);
    expect(await sent(retried)).toEqual({ possibleDuplicate: true, copies: 2 });
  });
});

it('An email with two copies keeps its flag when it is canceled and settled as sent', async () => {
  const to = 'twice@example.com';
  const id = await doubt(to);
  const { scripts } = service.mailServer;
  scripts.add(to, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  expect(await settle(id, 'resend')).toBe(true);
  await eventually(async () => (await read(id)).status === 'failed');
  scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Try again later' });
  await retry(id);
  await eventually(async () => (await read(id)).lastError?.includes('Try again later'));
  await cancelAll();
  expect(await read(id)).toMatchObject({ status: 'failed', possibleDuplicate: true });
  expect(await settle(id, 'sent')).toBe(true);
  expect(await sent(id)).toEqual({ possibleDuplicate: true, copies: 2 });
});
