import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({
    environment: { ...throughSendGrid(sendGrid), ...AWAIT_RESULT },
  });
  client = await service.organization();
});
beforeEach(() => sendGrid.scripts.clear());
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
});

function send(headers: Record<string, string> = {}, by = client, to = 'c@d.co') {
  const email = {
    from: 'Ada <ada@acme.example>',
    to,
    subject: 'S',
    htmlContent: '<a href="https://e.co">x</a>',
  };
  return by.post<SendResponse>('/api/send', email, headers);
}

describe('through SendGrid', () => {
  it("returns SendGrid's message ID, and sends the rewritten HTML with the email ID", async () => {
    const { status, body } = await send();
    expect(status).toBe(200);
    expect(body.id).toEqual(expect.any(String));
    const [request] = sendGrid.messages;
    const { body: email } = await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    expect(request!.emailId).toBe(email.id);
    expect(email.providerId).toBe(body.id);
    expect(request!.body.content.find(({ type }) => type === 'text/html')!.value).toContain(body.links[0]!.trackingUrl);
  });

  it('holds every email as long as a 429 requests, and counts no attempt', async () => {
    const before = sendGrid.requests.length;
    sendGrid.scripts.add('*', { status: 429, headers: { 'retry-after': '2' }, body: { errors: [] } }, 1);
    const startedAt = Date.now();
    const { status, body } = await send();
    expect(status).toBe(200);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(2_000);
    expect(sendGrid.requests.length - before).toBe(2);
    const { body: email } = await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    expect(email).toMatchObject({ status: 'sent', attempts: 1, possibleDuplicate: false });
  });

  it('fails an email whose sender is refused, at once and without affecting others', async () => {
    const refusal = sendGridError(403, 'The from address does not match a verified Sender Identity', 'from');
    sendGrid.scripts.add('stranger@d.co', refusal);
    const other = await service.organization();
    const before = sendGrid.requests.length;
    const responses = await Promise.all([send({}, client, 'stranger@d.co'), send({}, client, 'stranger@d.co')]);
    for (const { status, body } of responses) {
      expect(status).toBe(500);
      expect(body).toMatchObject({
        error: expect.stringMatching(/^Email delivery failed: .*verified Sender Identity/),
      });
    }
    expect((await send({}, other)).status).toBe(200);
    // Each email was tried once: neither these nor the mail of the other organization were held.
    expect(sendGrid.requests.length - before).toBe(3);
  });

  it('keeps emails queued while the credential is refused', async () => {
    sendGrid.scripts.add('*', { status: 401, body: { errors: [{ message: 'authorization required' }] } });
    const { headers } = await send({ prefer: 'respond-async' });
    const email = await eventually(async () => {
      const { body } = await client.get<EmailDetail>(headers.get('location')!);
      return body.lastError !== null && body;
    });
    expect(email).toMatchObject({
      status: 'queued',
      attempts: 0,
      lastError: expect.stringMatching(/authorization required/),
    });
  });
});
