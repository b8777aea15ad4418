import { listUnknownOutcomes, type UnknownOutcome } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { TestService, type TestClient } from '../support/service.js';

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
});
afterAll(() => service?.stop());

interface InPart {
  readonly email: UnknownOutcome;
  readonly reached: string;
  readonly late: string;
}

/** Sends an email that one recipient has, and that the others may have since the second attempt. */
async function acceptedInPart(...alsoLate: string[]): Promise<InPart> {
  const number = (made += 1);
  const [reached, late] = [`reached-${number}@example.com`, `late-${number}@example.com`];
  const { scripts } = service.mailServer;
  for (const one of [late, ...alsoLate]) scripts.add(one, { phase: 'rcpt', reply: '450 4.2.1 Greylisted' }, 1);
  scripts.add(late, { phase: 'dot', reply: '250 2.0.0 Ok' }, 1);
  scripts.add(late, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  await client.post('/api/send', {
    from: 'a@acme.example',
    to: [reached, late, ...alsoLate],
    subject: 'S',
    htmlContent: '<p>x</p>',
  });
  const email = await eventually(async () => (await doubtful())[0]);
  return { email, reached, late };
}

const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
const settle = ({ id }: UnknownOutcome, verdict: OutcomeDecision) =>
  settleUnknownOutcome(service.database, id, verdict, () => []);
const detail = async ({ id }: UnknownOutcome) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
async function report(email: UnknownOutcome, address: string): Promise<void> {
  const body = JSON.stringify([sendGridEvent('delivered', { email: address, mailbeacon_email_id: email.id })]);
  expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
  await eventually(async () => (await detail(email)).recipients.some(({ state }) => state === 'delivered'));
}
const copies = (address: string): number =>
  service.mailServer.messages.filter(({ recipients }) => recipients.includes(address)).length;

describe('an email that some recipients have and others may have', () => {
  it('is listed with the recipients in doubt alone', async () => {
    const { email, late } = await acceptedInPart();
    expect(email).toMatchObject({ state: 'waiting', to: [late] });
  });

  it('gets no second copy and no flag if the provider reports on a recipient in doubt', async () => {
    const { email, reached, late } = await acceptedInPart();
    await report(email, late);
    expect(await settle(email, 'resend')).toBe(true);
    await eventually(async () => (await detail(email)).status === 'sent');
    expect(await detail(email)).toMatchObject({ possibleDuplicate: false, lastError: null });
    expect([copies(reached), copies(late)]).toEqual([1, 1]);
    expect(await doubtful()).toEqual([]);
  });

  it('goes out again, flagged, if another recipient in doubt has no report: it may have been left out', async () => {
    const { email, late } = await acceptedInPart('also-late@example.com');
    await report(email, late);
    expect(await settle(email, 'resend')).toBe(true);
    await eventually(async () => (await detail(email)).status === 'sent');
    expect(await detail(email)).toMatchObject({ possibleDuplicate: true });
    expect(copies('also-late@example.com')).toBe(2);
  });

  it('keeps the flag of a second copy that reached others when a report settles the rest', async () => {
    const [twice, late] = ['twice@example.com', 'never@example.com'];
    const { scripts } = service.mailServer;
    scripts.add(late, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    const message = { from: 'a@acme.example', to: [twice, late], subject: 'S', htmlContent: '<p>x</p>' };
    await client.post('/api/send', message);
    const email = await eventually(async () => (await doubtful())[0]);
    scripts.add(late, { phase: 'rcpt', reply: '450 4.2.1 Greylisted' });
    scripts.add(late, { phase: 'dot', reply: '250 2.0.0 Ok' }, 1);
    expect(await settle(email, 'resend')).toBe(true);
    await eventually(() => copies(twice) === 2);
    await report(email, late);
    await eventually(async () => (await detail(email)).status === 'sent');
    expect(await detail(email)).toMatchObject({ possibleDuplicate: true });
    expect(copies(late)).toBe(1);
  });

  it.each([[[]], [['also-late@example.com']]])('has no flag if it is canceled: %j has no report', async (others) => {
    const { email, late } = await acceptedInPart(...others);
    await report(email, late);
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    await cancelOrganizationMail(service.database, client.organizationId);
    const [row] = await service.database.query('select status, possible_duplicate from emails where id = $1', [
      email.id,
    ]);
    expect(row).toEqual({ status: 'sent', possible_duplicate: false });
    expect((await doubtful()).flatMap(({ to }) => to)).toEqual(others);
  });

  it('stays listed when it is canceled before the second copy', async () => {
    const { email, late } = await acceptedInPart();
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    await cancelOrganizationMail(service.database, client.organizationId);
    const reason = 'Delivery outcome unknown: it was canceled before it was sent again';
    expect(await doubtful()).toMatchObject([{ id: email.id, state: 'sent', to: [late], reason }]);
    const [row] = await service.database.query('select status from emails where id = $1', [email.id]);
    expect(row).toEqual({ status: 'sent' });
    expect(await settle(email, 'sent')).toBe(true);
    const stored = await service.database.query(
      'select address, state from recipient_deliveries where email_id = $1 and address = $2',
      [email.id, late],
    );
    expect(stored).toEqual([{ address: late, state: 'accepted' }]);
    expect(await doubtful()).toEqual([]);
  });
});
