import { createTransport } from 'nodemailer';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { deliveryStatus, feedbackReport } from '../events/feedback/smtp/written-notifications.js';
import { eventually } from '../support/eventually.js';
import { sendMessage } from '../support/sent-message.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const DOMAIN = 'bounces.example.com';
const email = { from: 'ada@acme.example', subject: 'The engine', htmlContent: '<p>x</p>' };

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start({ environment: { BOUNCE_DOMAIN: DOMAIN, BOUNCE_SMTP_PORT: '0', ...AWAIT_RESULT } });
  client = await service.organization();
  await client.post('/api/webhooks', { url: 'https://hooks.example.com/', events: ['EMAIL_BOUNCED', 'EMAIL_FAILED'] });
});
afterAll(() => service?.stop());

const refuse = (address: string, reply: string, times?: number): void =>
  service.mailServer.scripts.add(address, { phase: 'rcpt', reply }, times);

const suppressed = (): Promise<{ address_key: string; reason: string }[]> =>
  service.database.query('select address_key, reason from suppressions where organization_id = $1 order by 1', [
    client.organizationId,
  ]);

const recipients = (tracking: string): Promise<Record<string, unknown>[]> =>
  service.database.query(
    `select r.address, r.state, r.facts, r.smtp_status, r.reason from recipient_deliveries r
       join emails e on e.id = r.email_id where e.tracking_id = $1 order by r.address`,
    [tracking],
  );

const webhooks = async (type: string): Promise<number> => {
  const rows = await service.database.query<{ n: number }>(
    'select count(*)::int as n from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id where e.organization_id = $1 and d.type = $2',
    [client.organizationId, type],
  );
  return rows[0]!.n;
};

/** Sends a report as a receiving server does. */
async function sendReport(to: string, raw: Buffer): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: service.settings.BOUNCE_SMTP_PORT!, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: '', to: [to] }, raw });
  transport.close();
}

describe('a 5.1.1 in the SMTP conversation is a hard bounce at once', () => {
  it('when all recipients are refused and the email fails', async () => {
    refuse('gone@example.com', '550 5.1.1 No such user');
    expect((await client.post('/api/send', { ...email, to: 'gone@example.com' })).status).toBe(500);
    expect(await suppressed()).toContainEqual({ address_key: 'gone@example.com', reason: 'bounce' });
    const [row] = await service.database.query(
      `select r.state, r.facts & 132 as hard, r.smtp_status, r.reason from recipient_deliveries r where r.address = 'gone@example.com'`,
    );
    expect(row).toEqual({
      state: 'refused',
      hard: 132,
      smtp_status: '5.1.1',
      reason: 'The SMTP server responded: 550 5.1.1 No such user',
    });
    expect(await webhooks('EMAIL_BOUNCED')).toBe(1);
  });

  it('when the others get the email', async () => {
    refuse('left@example.com', '550 5.1.1 No such user');
    refuse('picky@example.com', '550 5.7.1 Not from you');
    const to = ['left@example.com', 'picky@example.com', 'stays@example.com'];
    const { response } = await sendMessage(client, service.mailServer, { ...email, to });
    expect(await recipients(response.emailTrackingId)).toMatchObject([
      { address: 'left@example.com', state: 'refused', smtp_status: '5.1.1' },
      { address: 'picky@example.com', state: 'refused', facts: 0, smtp_status: '5.7.1' },
      { address: 'stays@example.com', state: 'accepted', facts: 0 },
    ]);
    const keys = (await suppressed()).map(({ address_key }) => address_key);
    expect(keys).toContain('left@example.com');
    expect(keys).not.toContain('picky@example.com');
  });

  it('when another recipient is deferred, and is not tried again', async () => {
    refuse('gone-too@example.com', '550 5.1.1 No such user', 1);
    refuse('busy@example.com', '450 4.2.1 Busy', 1);
    await client.post('/api/send', { ...email, to: ['gone-too@example.com', 'busy@example.com'] });
    const message = await eventually(() =>
      service.mailServer.messages.find(({ recipients: accepted }) => accepted.includes('busy@example.com')),
    );
    expect(message.recipients).toEqual(['busy@example.com']);
    expect(await suppressed()).toContainEqual({ address_key: 'gone-too@example.com', reason: 'bounce' });
  });
});

describe('mail through SMTP', () => {
  it('to several recipients is sent to each of them, including cc and bcc, once the deferred one has it', async () => {
    refuse('slow@example.com', '450 4.2.1 Busy', 1);
    const [to, cc, bcc] = ['slow@example.com', 'copy@example.com', 'hidden@example.com'];
    const { body } = await client.post<SendResponse>('/api/send', { ...email, to, cc, bcc });
    const path = `/api/emails/${body.emailTrackingId}`;
    const sent = await eventually(async () => {
      const { body: now } = await client.get<EmailDetail>(path);
      return now.status === 'sent' && now;
    });
    const known = { state: 'sent', reason: null, smtpStatus: null };
    expect(sent.recipients).toMatchObject([
      { address: to, kind: 'to', ...known },
      { address: cc, kind: 'cc', ...known },
      { address: bcc, kind: 'bcc', ...known },
    ]);
  });

  it('that bounces later is counted, once, for the recipient of its return path', async () => {
    const {
      response: { emailTrackingId },
      message: { sender },
    } = await sendMessage(client, service.mailServer, { ...email, to: 'later@example.com' });
    expect(sender).toMatch(/^b\+[a-z2-7]{48}@bounces\.example\.com$/);
    const gone = 'Final-Recipient: rfc822; elsewhere@example.net\nAction: failed\nStatus: 5.1.1';
    await sendReport(sender, deliveryStatus(gone));
    await sendReport(sender.toUpperCase(), deliveryStatus(gone));
    await sendReport(sender, feedbackReport('Feedback-Type: abuse'));
    await eventually(async () => (await recipients(emailTrackingId))[0]?.facts === (4 | 8 | 128));
    expect(await recipients(emailTrackingId)).toMatchObject([{ address: 'later@example.com', state: 'accepted' }]);
    const reasons = (await suppressed()).filter(({ address_key }) => address_key === 'later@example.com');
    expect(reasons.map(({ reason }) => reason).sort()).toEqual(['bounce', 'complaint']);
    const stored = await service.database.query(
      `select d.type from delivery_events d join emails e on e.id = d.email_id where e.tracking_id = $1 order by 1`,
      [emailTrackingId],
    );
    expect(stored).toEqual([{ type: 'bounced' }, { type: 'complained' }]);
  });

  it('that bounces is attributed to its recipient although another one was erased before it was sent', async () => {
    refuse('later-than-others@example.com', '450 4.2.1 Busy', 1);
    const to = ['forgotten@example.com', 'prompt@example.com', 'later-than-others@example.com'];
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await client.post<SendResponse>('/api/send', { ...email, to, sendAt });
    await eventually(async () => (await client.delete(`/api/contacts/${to[0]}`)).status === 404);
    const path = `/api/emails/${body.emailTrackingId}`;
    await client.patch(path, { sendAt: new Date().toISOString() });
    const { sender } = await eventually(() =>
      service.mailServer.messages.find(({ recipients: accepted }) => accepted.includes(to[2]!)),
    );
    await sendReport(
      sender,
      deliveryStatus('Final-Recipient: rfc822; elsewhere@example.net\nAction: failed\nStatus: 5.1.1'),
    );
    const bounced = await eventually(async () => {
      const rows = await recipients(body.emailTrackingId);
      return rows.filter(({ facts }) => facts !== 0)[0];
    });
    expect(bounced).toMatchObject({ address: to[2] });
  });

  it('suppresses no address to which the email was not sent', async () => {
    const to = ['one@example.com', 'two@example.com'];
    const { response, message } = await sendMessage(client, service.mailServer, { ...email, to });
    const group = (address: string): string => `Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: 5.1.1\n`;
    await sendReport(message.sender, deliveryStatus(group('stranger@example.com'), group('two@example.com')));
    await eventually(async () => (await recipients(response.emailTrackingId)).length > 0);
    expect(await recipients(response.emailTrackingId)).toMatchObject([{ address: 'two@example.com' }]);
    expect((await suppressed()).map(({ address_key }) => address_key)).not.toContain('stranger@example.com');
  });

  it('believes no report of one recipient about another who was left out', async () => {
    const [leftOut, reader, another] = ['left-out@example.com', 'reader@example.com', 'another@example.com'];
    await client.post('/api/suppressions', { address: leftOut });
    const to = [leftOut, reader, another];
    const { response, message } = await sendMessage(client, service.mailServer, { ...email, to });
    const group = (address: string): string => `Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: 5.1.1\n`;
    await sendReport(message.sender, deliveryStatus(group(leftOut)));
    await sendReport(message.sender, feedbackReport(`Feedback-Type: abuse\nOriginal-Rcpt-To: <${leftOut}>`));
    await sendReport(message.sender, deliveryStatus(group(reader)));
    await eventually(async () => (await suppressed()).some(({ address_key }) => address_key === reader));
    const { recipients: shown } = (await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`)).body;
    expect(shown.map(({ state }) => state)).toEqual(['suppressed', 'bounced', 'sent']);
    expect((await suppressed()).filter(({ address_key }) => address_key === leftOut)).toEqual([
      { address_key: leftOut, reason: 'manual' },
    ]);
  });
});
