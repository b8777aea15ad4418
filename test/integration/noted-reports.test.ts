import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { TimelineEntry } from '../../src/emails/read/timeline-entry.js';
import { feedbackReport } from '../events/feedback/smtp/written-notifications.js';
import { eventually } from '../support/eventually.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import type { SmtpMessage } from '../support/smtp-stub.js';

const SECRET = 'k7Jx2mQv9sLw4nTz';
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({
    environment: { BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_INTAKE_SECRET: SECRET },
  });
  client = await service.organization();
  // Nothing listens there, so the deliveries stay.
  await client.post('/api/webhooks', { url: 'https://hooks.example.com/', events: ['EMAIL_COMPLAINED'] });
});
afterAll(() => service?.stop());

/** Posts a feedback report about a message, as a mail server does that pipes its mail to the API. */
async function report({ sender }: SmtpMessage, kind: string): Promise<void> {
  const raw = feedbackReport(`Feedback-Type: ${kind}\nOriginal-Mail-From: <${sender}>`);
  const response = await fetch(`${service.address}/api/providers/smtp/bounces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'message/rfc822' },
    body: new Uint8Array(raw),
  });
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { result: 'stored' } });
}

async function contactOf(address: string): Promise<object> {
  const { status, bounces, complaints } = (await client.get<ContactDetail>(`/api/contacts/${address}`)).body;
  return { status, bounces, complaints };
}

async function timeline({ emailTrackingId }: SendResponse): Promise<TimelineEntry[]> {
  const { body } = await client.get<{ timeline: TimelineEntry[] }>(`/api/emails/${emailTrackingId}/timeline`);
  return body.timeline;
}

it.each(['not-spam', 'auth-failure', 'opt-out', 'X-new-kind'])(
  'feedback of the kind %s is in the timeline and changes nothing; a complaint after it does',
  async (kind) => {
    const to = `${kind.toLowerCase()}@example.com`;
    const email = { from: 'ada@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
    const { response: sent, message } = await sendMessage(client, service.mailServer, email);
    const state = async () => ({
      email: (await client.get<EmailDetail>(`/api/emails/${sent.emailTrackingId}`)).body,
      suppression: (await client.get(`/api/suppressions/${to}`)).status,
      contact: await contactOf(to),
      webhooks: await service.database.query(
        `select type from webhook_deliveries where email_id = (select id from emails where tracking_id = $1)`,
        [sent.emailTrackingId],
      ),
    });
    const before = await state();
    await report(message, kind);
    const noted = await eventually(async () => (await timeline(sent)).find(({ type }) => type === 'noted'));
    expect(noted).toMatchObject({ recipient: to, reason: `Feedback report: ${kind}` });
    expect(await state()).toEqual(before);

    await report(message, 'abuse');
    await eventually(async () => (await timeline(sent)).some(({ type }) => type === 'complained'));
    const after = await state();
    expect(after).toMatchObject({ suppression: 200, webhooks: [{ type: 'EMAIL_COMPLAINED' }] });
    expect(after.email.recipients).toMatchObject([{ state: 'complained' }]);
  },
);
