import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { TestService } from '../support/service.js';

const key = new EventWebhookKey();
let service: TestService;

beforeAll(async () => {
  const environment = { SENDGRID_EVENT_PUBLIC_KEY: key.publicKey, SEND_RESPONSE_TIMEOUT_MS: '0' };
  service = await TestService.start({ environment: { ...environment, AMBIGUOUS_SEND: 'hold' } });
});
afterAll(() => service?.stop());

it('with AMBIGUOUS_SEND=hold, an email that an operator sends again reaches those who were deferred, after a report about another one', async () => {
  const client = await service.organization();
  const [first, late] = ['first@example.com', 'late@example.com'];
  const { scripts } = service.mailServer;
  scripts.add(late, { phase: 'rcpt', reply: '450 4.2.1 Greylisted' }, 1);
  scripts.add(first, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  await client.post('/api/send', { from: 'a@acme.example', to: [first, late], subject: 'S', htmlContent: '<p>x</p>' });
  const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
  const email = await eventually(async () => (await doubtful())[0]);
  expect(email).toMatchObject({ state: 'failed', to: [first, late] });
  const { id } = email;
  const body = JSON.stringify([sendGridEvent('delivered', { email: first, mailbeacon_email_id: id })]);
  expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
  const read = async () => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
  await eventually(async () => (await read()).recipients[0]?.state === 'delivered');
  expect(await doubtful()).toMatchObject([{ to: [late] }]);
  await service.database.query(
    `update recipient_deliveries set fact_at = fact_at - interval '1 h' where email_id = $1`,
    [id],
  );

  expect(await settleUnknownOutcome(service.database, id, 'resend', () => [])).toBe(true);
  await eventually(async () => (await read()).status === 'sent');
  expect(service.mailServer.messages.map(({ recipients }) => recipients)).toEqual([[first], [late]]);
  expect((await read()).recipients.map(({ state }) => state)).toEqual(['delivered', 'sent']);
});

it.each([
  ['deferred', '450 4.2.1 Greylisted'],
  ['refused', '550 5.7.1 Not now'],
])('the same for one who was %s, if the report comes before the turn of the email', async (state, reply) => {
  const client = await service.organization();
  const [first, other] = [`first-${state}@example.com`, `other-${state}@example.com`];
  const { scripts } = service.mailServer;
  const before = service.mailServer.messages.length;
  scripts.add(other, { phase: 'rcpt', reply }, 1);
  scripts.add(first, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  await client.post('/api/send', { from: 'a@acme.example', to: [first, other], subject: 'S', htmlContent: '<p>x</p>' });
  const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
  const { id } = await eventually(async () => (await doubtful())[0]);
  await suspendOrganization(service.database, client.organizationId, 'A check');
  expect(await settleUnknownOutcome(service.database, id, 'resend', () => [])).toBe(true);
  const body = JSON.stringify([sendGridEvent('delivered', { email: first, mailbeacon_email_id: id })]);
  expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
  const reported = 'select from recipient_deliveries where email_id = $1 and facts <> 0';
  await eventually(async () => (await service.database.query(reported, [id])).length === 1);
  expect(await resumeSending(service.database, client.organizationId)).toBe(true);
  await eventually(async () => (await client.get<EmailDetail>(`/api/emails/${id}`)).body.status === 'sent');
  expect(service.mailServer.messages.slice(before).map(({ recipients }) => recipients)).toEqual([[first], [other]]);
});
