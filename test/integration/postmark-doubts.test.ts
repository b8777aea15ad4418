import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { PostmarkStub } from '../support/postmark-stub.js';
import { TestService, type TestClient } from '../support/service.js';

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
  const trackingId = await sendHidden(client, to!, [has!, mayHave!, hasNone!]);
  const read = async () => (await client.get<EmailDetail>(`/api/emails/${trackingId}`)).body;
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

describe('a hidden recipient whom it refused for good, while another one may have the email', () => {
  let client: TestClient;
  let [to, refused, mayHave] = ['', '', ''];
  let id: string;
  let trackingId: string;
  let before: number;

  beforeEach(async () => {
    client = await service.organization();
    [to, refused, mayHave] = ['to', 'refused', 'may-have'].map((name) => `${name}@example.com`) as [
      string,
      string,
      string,
    ];
    const results = [406, 101].map((ErrorCode) => ({ ErrorCode, Message: 'Not sent', MessageID: 'pm-2' }));
    postmark.scripts.add('*', { status: 200, body: results }, 1);
    before = postmark.requests.length;
    trackingId = await sendHidden(client, to, [refused, mayHave]);
    ({ id } = await eventually(async () => (await doubtful())[0]));
  });

  const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
  const settle = (verdict: OutcomeDecision) => settleUnknownOutcome(service.database, id, verdict, () => []);
  const read = async () => (await client.get<EmailDetail>(`/api/emails/${trackingId}`)).body;
  const states = async () =>
    Object.fromEntries((await read()).recipients.map(({ address, state }) => [address, state]));

  it('gets no second copy', async () => {
    expect(await doubtful()).toMatchObject([{ to: [mayHave] }]);
    expect(await settle('resend')).toBe(true);
    await eventually(async () => (await read()).status === 'sent');
    const called = postmark.requests.slice(before).map(({ messages }) => messages.map(({ Bcc, To }) => Bcc ?? To));
    expect(called).toEqual([[refused, mayHave], [mayHave]]);
    expect(await states()).toEqual({ [to]: 'suppressed', [refused]: 'failed', [mayHave]: 'sent' });
    expect(await read()).toMatchObject({ possibleDuplicate: true });
    expect(await doubtful()).toEqual([]);
  });

  it('does not count as sent if the email is settled as sent after a second unknown outcome', async () => {
    postmark.scripts.add(id, { status: 500, body: {} }, 1);
    expect(await settle('resend')).toBe(true);
    await eventually(async () => (await read()).status === 'failed');
    expect(await settle('sent')).toBe(true);
    expect(await states()).toEqual({ [to]: 'suppressed', [refused]: 'failed', [mayHave]: 'sent' });
    expect(await doubtful()).toEqual([]);
  });
});

/**
 * Sends an email whose visible recipient is suppressed when it is due, so that each hidden one gets a separate message.
 */
async function sendHidden(client: TestClient, to: string, bcc: readonly string[]): Promise<string> {
  const email = { from: 'a@acme.example', to, bcc, subject: 'S', htmlContent: '<p>x</p>' };
  const sendAt = (milliseconds: number): object => ({ sendAt: new Date(Date.now() + milliseconds).toISOString() });
  const { body } = await client.post<SendResponse>('/api/send', { ...email, ...sendAt(3_600_000) });
  expect((await client.post('/api/suppressions', { addresses: [to] })).status).toBe(201);
  expect((await client.patch(`/api/emails/${body.emailTrackingId}`, sendAt(-1_000))).status).toBe(200);
  return body.emailTrackingId;
}
