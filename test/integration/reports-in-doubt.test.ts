import { listUnknownOutcomes, type UnknownOutcome } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { TestService, type TestClient } from '../support/service.js';

const GREYLISTED = '450 4.2.1 Greylisted';
const HOUR_MS = 3_600_000;
const key = new EventWebhookKey();
let service: TestService;
let client: TestClient;
let made = 0;

beforeAll(async () => {
  service = await TestService.start({
    environment: { SENDGRID_EVENT_PUBLIC_KEY: key.publicKey, SEND_RESPONSE_TIMEOUT_MS: '0' },
  });
});
beforeEach(async () => {
  client = await service.organization();
  // Otherwise the provider would count as failing after five doubts.
  const [fine] = addresses('fine');
  await send([fine!]);
  await eventually(() => copies(fine!) === 1);
});
afterAll(() => service?.stop());

type Known = Pick<UnknownOutcome, 'id'>;

const addresses = (...names: string[]): string[] => {
  const number = (made += 1);
  return names.map((name) => `${name}-${number}@example.com`);
};
const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
const settle = ({ id }: Known, verdict: OutcomeDecision) =>
  settleUnknownOutcome(service.database, id, verdict, () => []);
const detail = async ({ id }: Known) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
const states = async (email: Known) => (await detail(email)).recipients.map(({ state }) => state);
const isNow = (email: Known, status: string) => eventually(async () => (await detail(email)).status === status);
const copies = (address: string): number =>
  service.mailServer.messages.filter(({ recipients }) => recipients.includes(address)).length;

async function send(to: readonly string[], more: object = {}): Promise<string> {
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>', ...more };
  return (await client.post<SendResponse>('/api/send', email)).body.emailTrackingId;
}

const inDoubt = () => eventually(async () => (await doubtful())[0]);

async function report({ id }: Known, email: string): Promise<void> {
  const body = JSON.stringify([sendGridEvent('delivered', { email, mailbeacon_email_id: id })]);
  expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
  await eventually(async () => (await states({ id })).includes('delivered'));
}

async function cancel(): Promise<void> {
  await suspendOrganization(service.database, client.organizationId, 'It sends spam');
  await cancelOrganizationMail(service.database, client.organizationId);
}

/** The connection breaks after the message. The server had deferred `late` before. */
async function sendInDoubt(to: readonly string[], late: string): Promise<UnknownOutcome> {
  const { scripts } = service.mailServer;
  scripts.add(late, { phase: 'rcpt', reply: GREYLISTED }, 1);
  scripts.add(to[0]!, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  await send(to);
  return inDoubt();
}

describe('a recipient whom the server deferred before the connection broke', () => {
  it('gets the email, whatever is reported about another one', async () => {
    const [first, late] = addresses('first', 'late') as [string, string];
    const email = await sendInDoubt([first, late], late);
    await report(email, first);
    expect(await doubtful()).toMatchObject([{ to: [late] }]);
    expect(await settle(email, 'resend')).toBe(true);
    await isNow(email, 'sent');
    expect([copies(first), copies(late)]).toEqual([1, 1]);
    expect(await states(email)).toEqual(['delivered', 'sent']);
  });

  it('gets it alone: a report about one recipient also counts for those who shared its message', async () => {
    const [first, second, late] = addresses('first', 'second', 'late') as [string, string, string];
    const email = await sendInDoubt([first, second, late], late);
    await report(email, first);
    expect(await settle(email, 'resend')).toBe(true);
    await isNow(email, 'sent');
    expect([first, second, late].map(copies)).toEqual([1, 1, 1]);
    expect(await states(email)).toEqual(['delivered', 'sent', 'sent']);
  });

  it('stays in doubt when the email is canceled after a report about another one', async () => {
    const [first, late] = addresses('first', 'late') as [string, string];
    const email = await sendInDoubt([first, late], late);
    await report(email, first);
    await cancel();
    const [row] = await service.database.query('select status, possible_duplicate from emails where id = $1', [
      email.id,
    ]);
    expect(row).toEqual({ status: 'sent', possible_duplicate: false });
    expect(await doubtful()).toMatchObject([{ id: email.id, state: 'sent', to: [late] }]);
  });

  it('alone counts as failed if an operator settles the rest as failed', async () => {
    const [first, late] = addresses('first', 'late') as [string, string];
    const email = await sendInDoubt([first, late], late);
    await report(email, first);
    expect(await settle(email, 'failed')).toBe(true);
    expect(await detail(email)).toMatchObject({ status: 'sent' });
    expect(await states(email)).toEqual(['delivered', 'failed']);
    expect(await doubtful()).toEqual([]);
  });
});

describe('a report about an earlier attempt', () => {
  it('says nothing about the attempt in doubt of an email that was retried', async () => {
    const [to] = addresses('bounced-once') as [string];
    const { scripts } = service.mailServer;
    scripts.add(to, { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
    const id = await send([to]);
    await isNow({ id }, 'failed');
    await service.database.query(
      `update recipient_deliveries set fact_at = fact_at - interval '1 h' where address = $1`,
      [to],
    );
    expect((await client.delete(`/api/suppressions/${encodeURIComponent(to)}`)).status).toBe(204);
    scripts.add(to, { phase: 'dot', fault: 'drop' }, 1);
    expect((await client.post(`/api/emails/${id}/retry`)).status).toBe(200);
    const email = await inDoubt();
    expect(email.to).toEqual([to]);
    expect(await settle(email, 'resend')).toBe(true);
    await isNow(email, 'sent');
    expect(copies(to)).toBe(1);
  });

  it('says nothing about the others: one came before the email was due', async () => {
    const [early, other] = addresses('early', 'other') as [string, string];
    const at = (milliseconds: number) => ({ sendAt: new Date(Date.now() + milliseconds).toISOString() });
    const trackingId = await send([early, other], at(HOUR_MS));
    const { id } = await detail({ id: trackingId });
    await report({ id }, early);
    service.mailServer.scripts.add(other, { phase: 'dot', fault: 'drop' }, 1);
    expect((await client.patch(`/api/emails/${id}`, at(2_500))).status).toBe(200);
    const email = await inDoubt();
    expect(email.to).toEqual([other]);
    expect(await settle(email, 'resend')).toBe(true);
    await isNow(email, 'sent');
    expect(copies(other)).toBe(1);
  });
});

describe('the list of emails in doubt', () => {
  it('names no recipient who was certainly refused or suppressed', async () => {
    const [first, gone, suppressed, copy] = addresses('first', 'gone', 'no-more', 'copy') as [
      string,
      string,
      string,
      string,
    ];
    const { scripts } = service.mailServer;
    scripts.add(gone, { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
    scripts.add(first, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    expect((await client.post('/api/suppressions', { address: suppressed })).status).toBe(201);
    await send([first, gone, suppressed], { cc: copy });
    expect(await inDoubt()).toMatchObject({ state: 'waiting', to: [first, copy] });
  });

  it('names those whose second copy was refused: the first may have arrived', async () => {
    const [first, second] = addresses('first', 'second') as [string, string];
    const { scripts } = service.mailServer;
    scripts.add(first, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    await send([first, second]);
    const email = await inDoubt();
    scripts.add(second, { phase: 'rcpt', reply: '550 5.7.1 No' }, 1);
    scripts.add(first, { phase: 'dot', reply: '554 5.7.1 No' }, 1);
    expect(await settle(email, 'resend')).toBe(true);
    await isNow(email, 'failed');
    expect(await doubtful()).toMatchObject([{ state: 'failed', to: [first, second] }]);
  });
});
