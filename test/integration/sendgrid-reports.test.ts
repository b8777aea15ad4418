import { eventually } from '../support/eventually.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';

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
    },
  });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
});

interface Recipient {
  readonly address: string;
  readonly state: string;
  readonly reason: string | null;
  readonly smtpStatus: string | null;
}

/** Posts events as SendGrid does: with the custom arguments of the message at the top level. */
async function post(events: readonly Record<string, unknown>[]): Promise<void> {
  const text = JSON.stringify(events);
  expect((await postToSendGridRoute(service.address, text, key.sign(text))).status).toBe(200);
}

it('a signed call finds the email by the custom arguments and updates each of its recipients', async () => {
  const { response, message } = await sendMessage(client, sendGrid, {
    ...{ from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' },
    ...{ to: ['Delivered@example.com', 'bounced@example.com'], cc: 'complained@example.com', bcc: 'sent@example.com' },
  });
  const args = message.body.custom_args;
  const about = (email: string, type: string, more: object = {}) => sendGridEvent(type, { ...args, email, ...more });
  const events = [
    about('complained@example.com', 'spamreport'),
    about('complained@example.com', 'delivered', { response: '250 OK' }),
    about('delivered@example.com', 'delivered', { response: '250 2.0.0 OK' }),
    about('delivered@example.com', 'deferred', { response: '450 4.7.1 later' }),
    about('bounced@example.com', 'bounce', { type: 'bounce', reason: '550 5.1.1 No such user', status: '5.1.1' }),
    about('stranger@example.com', 'spamreport'),
    sendGridEvent('spamreport', { email: 'sent@example.com' }),
  ];
  await post(events);
  await post([...events].reverse());
  const recipients = await eventually(async () => {
    const detail = await client.get<{ recipients: Recipient[] }>(`/api/emails/${response.emailTrackingId}`);
    return detail.body.recipients.filter(({ state }) => state !== 'sent').length === 3 && detail.body.recipients;
  });
  const found = new Map(recipients.map(({ address, ...about }) => [address.toLowerCase(), about]));
  expect(found.get('delivered@example.com')).toMatchObject({ state: 'delivered', smtpStatus: '2.0.0' });
  expect(found.get('bounced@example.com')).toMatchObject({
    ...{ state: 'bounced', smtpStatus: '5.1.1', reason: '550 5.1.1 No such user' },
  });
  expect(found.get('complained@example.com')).toMatchObject({ state: 'complained' });
  expect(found.get('sent@example.com')).toMatchObject({ state: 'sent' });
  const { body: list } = await client.get<{ suppressions: { address: string; reason: string }[] }>('/api/suppressions');
  expect(list.suppressions.map(({ address, reason }) => [address, reason]).sort()).toEqual([
    ['bounced@example.com', 'bounce'],
    ['complained@example.com', 'complaint'],
  ]);
});

it('the timeline has the reply with which SendGrid accepted the email', async () => {
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { response } = await sendMessage(client, sendGrid, email);
  const { body: list } = await client.get<{ timeline: { type: string; reason?: string }[] }>(
    `/api/emails/${response.emailTrackingId}/timeline`,
  );
  const [detail] = await service.database.query<{ provider_id: string }>(
    'select provider_id from emails where tracking_id = $1',
    [response.emailTrackingId],
  );
  expect(list.timeline.find(({ type }) => type === 'sent')?.reason).toBe(
    `SendGrid responded with 202, message ID ${detail!.provider_id}`,
  );
});

it('a repeated request gets the same `suppressed`, whichever recipient SendGrid dropped, even with the time of the email', async () => {
  const [dropped, left] = ['dropped@example.com', 'left@example.com'];
  await client.post('/api/suppressions', { address: left });
  const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>', to: [dropped, left] };
  const headers = { 'idempotency-key': 'replayed' };
  const first = await sendMessage(client, sendGrid, email, headers);
  expect(first.response.suppressed).toEqual([{ address: left, reason: 'manual' }]);
  const args = first.message.body.custom_args;
  await post([sendGridEvent('dropped', { ...args, email: dropped, reason: 'Bounced Address', timestamp: 0 })]);
  await eventually(async () => (await client.get(`/api/suppressions/${dropped}`)).status === 200);
  expect((await client.post('/api/send', email, headers)).body).toEqual(first.response);
});
