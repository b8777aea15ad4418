import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';

const URL_IN_IT = 'https://shop.example/sale';
const key = new EventWebhookKey();
let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({
    environment: {
      ...throughSendGrid(sendGrid),
      SENDGRID_EVENT_PUBLIC_KEY: key.publicKey,
      SEND_RESPONSE_TIMEOUT_MS: '0',
    },
  });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
});

/** Otherwise the provider would count as failing after five doubts. */
beforeEach(async () => {
  const { length } = sendGrid.messages;
  await client.post('/api/send', {
    from: 'a@acme.example',
    to: 'fine@example.com',
    subject: 'S',
    htmlContent: '<p>x</p>',
  });
  await eventually(() => sendGrid.messages.length > length);
});

interface Doubt {
  readonly id: string;
  readonly to: readonly string[];
}

/** Sends an email that SendGrid accepts without a response: the email waits for its second copy. */
async function doubt(...to: string[]): Promise<Doubt> {
  sendGrid.scripts.add(to[0]!, { fault: 'close', accepts: true }, 1);
  const htmlContent = `<a href="${URL_IN_IT}">Sale</a>`;
  await client.post('/api/send', { from: 'a@acme.example', to, subject: 'S', htmlContent, campaignId: to[0] });
  const isIt = (email: Doubt) => email.to[0] === to[0];
  return eventually(async () => (await listUnknownOutcomes(service.database, client.organizationId, 10)).find(isIt));
}

async function report(id: string, email: string, event: string, { address } = service): Promise<void> {
  const body = JSON.stringify([sendGridEvent(event, { email, mailbeacon_email_id: id })]);
  expect(await postToSendGridRoute(address, body, key.sign(body))).toMatchObject({ status: 200, body: { stored: 1 } });
}

const copies = (id: string): number =>
  sendGrid.messages.filter(({ body }) => body.custom_args?.['mailbeacon_email_id'] === id).length;
const detail = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
const links = async (id: string): Promise<unknown> =>
  (await service.database.query('select urls from email_links where email_id = $1', [id]))[0];
const stateOf = async (id: string, address: string) =>
  (await detail(id)).recipients.find((recipient) => recipient.address === address)?.state;
const resendNow = ({ id }: Doubt) => settleUnknownOutcome(service.database, id, 'resend', () => []);

describe('an email in doubt for which SendGrid sends a report before the second copy is due', () => {
  it.each([
    ['delivered', 'delivered'],
    ['deferred', 'deferred'],
    ['bounce', 'bounced'],
  ])('%s: counts as sent, with its links and totals, without a flag, and gets no second copy', async (event, state) => {
    const to = `${event}@example.com`;
    const email = await doubt(to);
    await report(email.id, to, event);
    await eventually(async () => (await stateOf(email.id, to)) === state);
    expect(await resendNow(email)).toBe(true);
    const settled = await eventually(async () => {
      const found = await detail(email.id);
      return found.status === 'sent' ? found : undefined;
    });
    expect(settled).toMatchObject({ possibleDuplicate: false, lastError: null });
    expect(await links(email.id)).toEqual({ urls: [URL_IN_IT] });
    const { body } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const { id: campaign } = body.campaigns.find(({ name }) => name === to)!;
    const { body: stats } = await client.get<CampaignDetail>(`/api/campaigns/${campaign}`);
    expect(stats).toMatchObject({ stats: { totalEmails: 1 } });
    expect(copies(email.id)).toBe(1);
  });

  it('is not resent to the other recipients either: the message went to all', async () => {
    const email = await doubt('first@example.com', 'second@example.com');
    await report(email.id, 'second@example.com', 'delivered');
    await eventually(async () => (await stateOf(email.id, 'second@example.com')) === 'delivered');
    expect(await resendNow(email)).toBe(true);
    await eventually(async () => (await detail(email.id)).status === 'sent');
    expect(await stateOf(email.id, 'first@example.com')).toBe('sent');
    expect(copies(email.id)).toBe(1);
  });
});

it('an email with two copies stays flagged when a report settles its doubt', async () => {
  const to = 'twice@example.com';
  sendGrid.scripts.add(to, { fault: 'close', accepts: true }, 1);
  const email = await doubt(to);
  expect(await resendNow(email)).toBe(true);
  await eventually(async () => (await detail(email.id)).status === 'failed');
  await report(email.id, to, 'delivered');
  await eventually(async () => (await stateOf(email.id, to)) === 'delivered');
  expect(await resendNow(email)).toBe(true);
  await eventually(async () => (await detail(email.id)).status === 'sent');
  expect(await detail(email.id)).toMatchObject({ possibleDuplicate: true });
  expect(copies(email.id)).toBe(2);
});

it('an email whose worker died while it sent the second copy is flagged although a report settles its doubt', async () => {
  const to = 'died@example.com';
  const email = await doubt(to);
  await report(email.id, to, 'delivered');
  await eventually(async () => (await stateOf(email.id, to)) === 'delivered');
  await service.database.query(
    `update pending_emails set dispatched_at = now(), attempts = 2, lease_token = gen_random_uuid(),
            lease_until = now() - interval '1 s' where email_id = $1`,
    [email.id],
  );
  await eventually(async () => (await detail(email.id)).status === 'sent', 35_000);
  expect(await detail(email.id)).toMatchObject({ possibleDuplicate: true });
});

it('an email in doubt without a report is sent once more and flagged', async () => {
  const email = await doubt('silent@example.com');
  expect(await resendNow(email)).toBe(true);
  await eventually(async () => (await detail(email.id)).status === 'sent');
  expect(await detail(email.id)).toMatchObject({ possibleDuplicate: true });
  expect(copies(email.id)).toBe(2);
});

it('a report on a recipient whom an earlier attempt reached does not settle the attempt in doubt', async () => {
  const smtp = await TestService.start({
    environment: { SENDGRID_EVENT_PUBLIC_KEY: key.publicKey, SEND_RESPONSE_TIMEOUT_MS: '0' },
  });
  try {
    const [reached, late] = ['reached@example.com', 'late@example.com'];
    const { scripts } = smtp.mailServer;
    scripts.add(late, { phase: 'rcpt', reply: '450 4.2.1 Greylisted' }, 1);
    scripts.add(late, { phase: 'dot', reply: '250 2.0.0 Ok' }, 1);
    scripts.add(late, { phase: 'dot', fault: 'drop' }, 1);
    const sender = await smtp.organization();
    const message = { from: 'a@acme.example', to: [reached, late], subject: 'S', htmlContent: '<p>x</p>' };
    await sender.post('/api/send', message);
    const [{ id } = { id: '' }] = await eventually(async () => {
      const found = await listUnknownOutcomes(smtp.database, sender.organizationId, 10);
      return found.length > 0 && found;
    });
    await report(id, reached, 'delivered', smtp);
    const read = async () => (await sender.get<EmailDetail>(`/api/emails/${id}`)).body;
    await eventually(async () => (await read()).recipients.some(({ state }) => state === 'delivered'));
    expect(await settleUnknownOutcome(smtp.database, id, 'resend', () => [])).toBe(true);
    await eventually(async () => (await read()).status === 'sent');
    const gotIt = smtp.mailServer.messages.map(({ recipients }) => recipients);
    expect(gotIt).toEqual([[reached], [late]]);
    expect((await read()).possibleDuplicate).toBe(true);
  } finally {
    await smtp.stop();
  }
});
