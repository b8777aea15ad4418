import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { TestService, type TestClient } from '../support/service.js';

const GREYLISTED = '450 4.2.1 Greylisted';
const key = new EventWebhookKey();
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({
    environment: { SENDGRID_EVENT_PUBLIC_KEY: key.publicKey, SEND_RESPONSE_TIMEOUT_MS: '0' },
  });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

interface Known {
  readonly id: string;
}

const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
const inDoubt = () => eventually(async () => (await doubtful())[0]);
const settle = ({ id }: Known, verdict: OutcomeDecision) =>
  settleUnknownOutcome(service.database, id, verdict, () => []);
const detail = async ({ id }: Known) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
const states = async (email: Known) => (await detail(email)).recipients.map(({ state }) => state);
const isNow = (email: Known, status: string) => eventually(async () => (await detail(email)).status === status);
const copies = (address: string): number =>
  service.mailServer.messages.filter(({ recipients }) => recipients.includes(address)).length;

async function send(to: readonly string[]): Promise<string> {
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  return (await client.post<SendResponse>('/api/send', email)).body.emailTrackingId;
}

async function report({ id }: Known, email: string, ageSeconds = 0): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const body = JSON.stringify([sendGridEvent('delivered', { email, mailbeacon_email_id: id, timestamp })]);
  expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
  await eventually(async () => (await states({ id })).includes('delivered'));
}

it('one who shared a reported message gets no second copy after the provider accepts it for some of the others', async () => {
  const [first, second, late, later] = ['first@a.example', 'second@a.example', 'late@a.example', 'later@a.example'];
  const { scripts } = service.mailServer;
  scripts.add(late, { phase: 'rcpt', reply: GREYLISTED }, 1);
  scripts.add(later, { phase: 'rcpt', reply: GREYLISTED }, 2);
  scripts.add(first, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  await send([first, second, late, later]);
  const email = await inDoubt();
  await report(email, first);
  expect(await settle(email, 'resend')).toBe(true);
  await eventually(async () => (await states(email))[2] === 'sent');
  expect(await doubtful()).toMatchObject([{ to: [later] }]);
  expect(await settle(email, 'resend')).toBe(true);
  await isNow(email, 'sent');
  expect([first, second, late, later].map(copies)).toEqual([1, 1, 1, 1]);
});

it('those in doubt without a result fail when an operator says so, after a report with an early time', async () => {
  const [first, second] = ['early@a.example', 'other@a.example'];
  service.mailServer.scripts.add(first, { phase: 'dot', fault: 'drop' }, 1);
  await send([first, second]);
  const email = await inDoubt();
  await report(email, first, 60);
  expect(await doubtful()).toMatchObject([{ to: [second] }]);
  expect(await settle(email, 'failed')).toBe(true);
  expect(await states(email)).toEqual(['delivered', 'failed']);
});

it('a bounce within the second before a retry says nothing about the retry', async () => {
  const to = 'bounced-once@a.example';
  const { scripts } = service.mailServer;
  scripts.add(to, { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
  const id = await send([to]);
  await isNow({ id }, 'failed');
  expect((await client.delete(`/api/suppressions/${encodeURIComponent(to)}`)).status).toBe(204);
  scripts.add(to, { phase: 'dot', fault: 'drop' }, 1);
  expect((await client.post(`/api/emails/${id}/retry`)).status).toBe(200);
  const email = await inDoubt();
  await service.database.query(
    `with pending as (
       update pending_emails set queued_at = date_trunc('second', queued_at) + interval '500 ms'
        where email_id = $1 returning queued_at)
     update recipient_deliveries set fact_at = queued_at - interval '499 ms' from pending where email_id = $1`,
    [email.id],
  );
  expect(await settle(email, 'resend')).toBe(true);
  await isNow(email, 'sent');
  expect(copies(to)).toBe(1);
});
