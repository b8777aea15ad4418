import { listUnknownOutcomes, settleUnknownOutcome } from '../../src/emails/delivery/unknown-outcomes.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { PostmarkStub } from '../support/postmark-stub.js';
import { TestService } from '../support/service.js';

let postmark: PostmarkStub;
let service: TestService;

beforeAll(async () => {
  postmark = await PostmarkStub.listen();
  const provider = { id: 'main', type: 'postmark', serverToken: 'token-1', messageStream: 'outbound' };
  service = await TestService.start({
    environment: {
      ...{ PROVIDERS: JSON.stringify([provider]), POSTMARK_API_URL: postmark.url },
      SEND_RESPONSE_TIMEOUT_MS: '0',
    },
  });
});
afterAll(async () => {
  await service?.stop();
  await postmark?.close();
});

it('a hidden recipient who may have the email gets no second copy, while another one who certainly has none gets it', async () => {
  const client = await service.organization();
  const [to, has, mayHave, hasNone] = ['to', 'has', 'may-have', 'has-none'].map((name) => `${name}@example.com`);
  const resultOf = (ErrorCode: number, Message: string) => ({ ErrorCode, Message, MessageID: 'pm-1', To: has });
  const results = [resultOf(0, 'OK'), resultOf(101, 'Server error'), resultOf(405, 'Not allowed to send')];
  postmark.scripts.add('*', { status: 200, body: results }, 1);
  const email = { from: 'a@acme.example', to, bcc: [has, mayHave, hasNone], subject: 'S', htmlContent: '<p>x</p>' };
  const sendAt = (milliseconds: number): object => ({ sendAt: new Date(Date.now() + milliseconds).toISOString() });
  const { body } = await client.post<SendResponse>('/api/send', { ...email, ...sendAt(3_600_000) });
  // Suppressed when the email is due: an email whose visible recipients are all suppressed is not accepted.
  expect((await client.post('/api/suppressions', { addresses: [to] })).status).toBe(201);
  expect((await client.patch(`/api/emails/${body.emailTrackingId}`, sendAt(-1_000))).status).toBe(200);
  const read = async () => (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body;
  const states = async () =>
    Object.fromEntries((await read()).recipients.map(({ address, state }) => [address, state]));
  const { id } = await eventually(async () => {
    const found = await read();
    return found.status === 'sent' && found;
  });

  const called = postmark.requests.map(({ messages }) => messages.map(({ Bcc, To }) => Bcc ?? To));
  expect(called).toEqual([[has, mayHave, hasNone], [hasNone]]);
  expect(await read()).toMatchObject({ possibleDuplicate: false });
  const others = { [to!]: 'suppressed', [has!]: 'sent', [hasNone!]: 'sent' };
  expect(await states()).toEqual({ ...others, [mayHave!]: 'failed' });
  const inDoubt = {
    id,
    state: 'sent',
    to: [mayHave],
    reason: expect.stringMatching(/^Delivery outcome unknown: .*101/),
  };
  expect(await listUnknownOutcomes(service.database, client.organizationId, 10)).toMatchObject([inDoubt]);
  expect(await settleUnknownOutcome(service.database, id, 'sent', () => [])).toBe(true);
  expect(await states()).toEqual({ ...others, [mayHave!]: 'sent' });
});

it('a hidden recipient whom it refused for good gets no second copy with one who may have the email', async () => {
  const client = await service.organization();
  const [to, refused, mayHave] = ['to-2', 'refused-2', 'may-have-2'].map((name) => `${name}@example.com`);
  const results = [406, 101].map((ErrorCode) => ({ ErrorCode, Message: 'Not sent', MessageID: 'pm-2' }));
  postmark.scripts.add('*', { status: 200, body: results }, 1);
  const before = postmark.requests.length;
  const sendAt = (milliseconds: number): object => ({ sendAt: new Date(Date.now() + milliseconds).toISOString() });
  const email = { from: 'a@acme.example', to, bcc: [refused, mayHave], subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<SendResponse>('/api/send', { ...email, ...sendAt(3_600_000) });
  expect((await client.post('/api/suppressions', { addresses: [to] })).status).toBe(201);
  expect((await client.patch(`/api/emails/${body.emailTrackingId}`, sendAt(-1_000))).status).toBe(200);
  const read = async () => (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body;
  const inDoubt = await eventually(
    async () => (await listUnknownOutcomes(service.database, client.organizationId, 10))[0],
  );
  expect(await settleUnknownOutcome(service.database, inDoubt.id, 'resend', () => [])).toBe(true);
  const sent = await eventually(async () => {
    const found = await read();
    return found.status === 'sent' && found;
  });
  const called = postmark.requests.slice(before).map(({ messages }) => messages.map(({ Bcc, To }) => Bcc ?? To));
  expect(called).toEqual([[refused, mayHave], [mayHave]]);
  const states = Object.fromEntries(sent.recipients.map(({ address, state }) => [address, state]));
  expect(states).toEqual({ [to!]: 'suppressed', [refused!]: 'failed', [mayHave!]: 'sent' });
  expect(sent).toMatchObject({ possibleDuplicate: true });
});
