import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let sendGrid: SendGridStub;
let spare: SmtpStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  [sendGrid, spare] = await Promise.all([SendGridStub.listen(), SmtpStub.listen()]);
  spare.credentials = { user: 'ada', pass: 'secret' };
  const providers = [
    { id: 'main', type: 'sendgrid', apiKey: 'SG.test' },
    { id: 'spare', type: 'smtp', url: spare.url },
  ];
  service = await TestService.start({
    environment: {
      ...AWAIT_RESULT,
      PROVIDERS: JSON.stringify(providers),
      SENDGRID_API_URL: sendGrid.url,
      AMBIGUOUS_RESEND_AFTER_MS: '0',
    },
  });
  client = await service.organization();
});
beforeEach(() => {
  sendGrid.scripts.clear();
  spare.scripts.clear();
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([sendGrid?.close(), spare?.close()]);
});

let sent = 0;
async function send(): Promise<{ readonly status: number; readonly email: EmailDetail }> {
  const email = { to: `reader-${++sent}@example.com`, subject: 'S', htmlContent: '<p>x</p>' };
  const { status, body } = await client.post<SendResponse>('/api/send', { from: 'a@acme.example', ...email });
  return { status, email: (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body };
}

/** How many emails each provider has accepted since the last call. */
const counted = { main: 0, spare: 0 };
function accepted(): [main: number, spare: number] {
  const { main, spare: others } = counted;
  [counted.main, counted.spare] = [sendGrid.messages.length, spare.messages.length];
  return [counted.main - main, counted.spare - others];
}

const throttled = { status: 429, headers: { 'retry-after': '2' }, body: { errors: [] } };

it('uses the first provider while it accepts mail', async () => {
  const { status, email } = await send();
  expect([status, email.status, accepted()]).toEqual([200, 'sent', [1, 0]]);
});

it('moves an email at once when the first provider throttles, and skips that one until its pause ends', async () => {
  sendGrid.scripts.add('*', throttled, 1);
  const { email } = await send();
  expect(email).toMatchObject({ status: 'sent', attempts: 1, possibleDuplicate: false });
  await send();
  expect(accepted()).toEqual([0, 2]);
  expect(sendGrid.scripts.played).toBe(1);
  const { body } = await client.get<{ provider: unknown }>('/api/sending');
  expect(body.provider).toEqual({ state: 'available', until: null });
  await eventually(async () => {
    await send();
    return accepted()[0] === 1;
  });
});

it('moves no email that the first provider refuses', async () => {
  sendGrid.scripts.add('*', sendGridError(400, 'Bad content'), 1);
  expect((await send()).status).toBe(500);
  expect(accepted()).toEqual([0, 0]);
});

it('moves no email that the first provider may have, even while that one is paused', async () => {
  sendGrid.scripts.add('*', { fault: 'reset' }, 1);
  sendGrid.scripts.add('*', throttled, 1);
  const { email } = await send();
  expect(email).toMatchObject({ status: 'sent', possibleDuplicate: true });
  expect(accepted()).toEqual([1, 0]);
});

it('delivers a broadcast through the other provider while the first one is paused, each email once', async () => {
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create();
  await broadcasts.add(id, people(120));
  sendGrid.scripts.add('*', { ...throttled, headers: { 'retry-after': '5' } }, 1);
  await broadcasts.move(id, 'send');
  expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { total: 120, sent: 120, failed: 0 } });
  const [main, others] = accepted();
  expect(main + others).toBe(120);
  expect(others).toBeGreaterThan(0);
});

it('holds mail while all providers are paused, says so, and continues with the first that may be called', async () => {
  sendGrid.scripts.add('*', throttled, 1);
  // An idle connection would need no login.
  spare.endIdleConnections();
  await eventually(() => spare.openConnections === 0);
  spare.scripts.add('*', { phase: 'auth', reply: '535 5.7.8 Wrong password' });
  const sending = send();
  const provider = await eventually(async () => {
    const { body } = await client.get<SendingStateView>('/api/sending');
    return body.provider.state !== 'available' && body.provider;
  });
  expect(provider.state).toBe('credential-refused');
  // The pause of the first provider ends long before that of the other.
  expect(Date.parse(provider.until!) - Date.now()).toBeLessThan(10_000);
  expect((await sending).email).toMatchObject({ status: 'sent', attempts: 1 });
  expect(accepted()).toEqual([1, 0]);
});
