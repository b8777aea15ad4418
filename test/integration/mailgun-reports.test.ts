import { mailgunEvent, mailgunSignature, postToMailgunRoute } from '../support/mailgun-calls.js';
import { MailgunStub } from '../support/mailgun-stub.js';
import { recipientStates } from '../support/recipient-states.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';

const KEY = 'signing-key';
let mailgun: MailgunStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  mailgun = await MailgunStub.listen();
  const provider = { id: 'main', type: 'mailgun', apiKey: 'key-1', domain: 'mg.example.test' };
  service = await TestService.start({
    environment: {
      PROVIDERS: JSON.stringify([provider]),
      MAILGUN_API_URL: mailgun.url,
      MAILGUN_EVENT_SIGNING_KEY: KEY,
    },
  });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await mailgun?.close();
});

it('a signed call finds the email by its variables and updates its recipient', async () => {
  const { response, message } = await sendMessage(client, mailgun, {
    ...{ from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' },
    ...{ to: ['Delivered@example.com', 'bounced@example.com'], cc: 'complained@example.com', bcc: 'sent@example.com' },
  });
  const { fields, recipients } = message;
  expect(recipients).toHaveLength(4);
  // Mailgun returns the variables under their names.
  const variables = Object.fromEntries(
    [...fields].flatMap(([name, value]) => (name.startsWith('v:') ? [[name.slice(2), value]] : [])),
  );
  const about = (recipient: string, type: string, more: object = {}) =>
    mailgunEvent(type, { recipient, 'user-variables': variables, ...more });
  const bounce = {
    severity: 'permanent',
    reason: 'bounce',
    'delivery-status': { code: 550, message: '5.1.1 No user' },
  };
  const events = [
    about('complained@example.com', 'complained'),
    about('delivered@example.com', 'delivered', { 'delivery-status': { code: 250, message: 'OK' } }),
    about('bounced@example.com', 'failed', bounce),
    about('stranger@example.com', 'complained'),
    mailgunEvent('complained', { recipient: 'sent@example.com' }),
  ];
  for (const event of [...events, ...events]) {
    const call = JSON.stringify({ signature: mailgunSignature(KEY), 'event-data': event });
    expect((await postToMailgunRoute(service.address, call)).status).toBe(200);
  }
  expect(await recipientStates(client, response.emailTrackingId, 3)).toEqual({
    'delivered@example.com': 'delivered',
    'bounced@example.com': 'bounced',
    'complained@example.com': 'complained',
    'sent@example.com': 'sent',
  });
});
