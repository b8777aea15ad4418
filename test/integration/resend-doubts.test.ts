import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { postToResendRoute, resendEvent, resendHeaders } from '../support/resend-calls.js';
import { addressesOf, ResendStub } from '../support/resend-stub.js';
import { TestService } from '../support/service.js';

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`;
let resend: ResendStub;
let service: TestService;

beforeAll(async () => {
  resend = await ResendStub.listen();
  service = await TestService.start({
    environment: {
      ...{ PROVIDERS: JSON.stringify([{ id: 'main', type: 'resend', apiKey: 're_key' }]), RESEND_API_URL: resend.url },
      ...{ RESEND_EVENT_SECRET: SECRET, SEND_RESPONSE_TIMEOUT_MS: '0' },
    },
  });
});
afterAll(async () => {
  await service?.stop();
  await resend?.close();
});

it('a report about one of several hidden recipients says nothing about those whose call was lost, or came later', async () => {
  const client = await service.organization();
  const [to, has, mayHave, hasNone] = ['to', 'has', 'may-have', 'has-none'].map((name) => `${name}@example.com`) as [
    string,
    ...string[],
  ];
  resend.scripts.add(mayHave!, { fault: 'close' }, 1);
  const email = { from: 'a@acme.example', to, bcc: [has, mayHave, hasNone], subject: 'S', htmlContent: '<p>x</p>' };
  const sendAt = (milliseconds: number): object => ({ sendAt: new Date(Date.now() + milliseconds).toISOString() });
  const { body: sent } = await client.post<SendResponse>('/api/send', { ...email, ...sendAt(3_600_000) });
  expect((await client.post('/api/suppressions', { addresses: [to] })).status).toBe(201);
  expect((await client.patch(`/api/emails/${sent.emailTrackingId}`, sendAt(-1_000))).status).toBe(200);
  const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
  const { id } = await eventually(async () => (await doubtful())[0]);
  const read = async () => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

  const tags = { mailbeacon_email_id: id, mailbeacon_recipients: '1' };
  const call = JSON.stringify(resendEvent('email.delivered', { to: [has], tags }));
  expect((await postToResendRoute(service.address, call, resendHeaders(SECRET, call))).status).toBe(200);
  await eventually(async () => (await read()).recipients.some(({ state }) => state === 'delivered'));
  expect(await doubtful()).toMatchObject([{ to: [mayHave, hasNone] }]);
  expect(await settleUnknownOutcome(service.database, id, 'resend', () => [])).toBe(true);
  await eventually(async () => (await read()).status === 'sent');
  expect(resend.messages.map(({ body }) => addressesOf(body))).toEqual([[has], [mayHave], [hasNone]]);
  expect((await read()).recipients.map(({ state }) => state)).toEqual(['suppressed', 'delivered', 'sent', 'sent']);
});
