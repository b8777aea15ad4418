import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { basic, postmarkEvent, postToPostmarkRoute } from '../support/postmark-calls.js';
import { PostmarkStub } from '../support/postmark-stub.js';
import { TestService, type TestClient } from '../support/service.js';

const CREDENTIALS = 'postmark:secret';
let postmark: PostmarkStub;
let service: TestService;
let client: TestClient;
let before: number;

beforeAll(async () => {
  postmark = await PostmarkStub.listen();
  const provider = { id: 'main', type: 'postmark', serverToken: 'token-1', messageStream: 'outbound' };
  service = await TestService.start({
    environment: {
      ...{ PROVIDERS: JSON.stringify([provider]), POSTMARK_API_URL: postmark.url },
      ...{ POSTMARK_EVENT_CREDENTIALS: CREDENTIALS, SEND_RESPONSE_TIMEOUT_MS: '0' },
    },
  });
});
/** The accepted email ends the unknown outcomes of the test before: after five, the provider would count as failing. */
beforeEach(async () => {
  const { length } = postmark.messages;
  client = await service.organization();
  const email = { from: 'a@acme.example', to: 'fine@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  await client.post('/api/send', email);
  await eventually(() => postmark.messages.length > length);
  before = postmark.requests.length;
});
afterAll(async () => {
  await service?.stop();
  await postmark?.close();
});

const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
const inDoubt = () => eventually(async () => (await doubtful())[0]);
const read = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
const stateOf = async (id: string, recipient: string) =>
  (await read(id)).recipients.find(({ address }) => address === recipient)?.state;

async function report(id: string, recipient: string): Promise<void> {
  const event = postmarkEvent('Delivery', { Recipient: recipient, Metadata: { mailbeacon_email_id: id } });
  const call = postToPostmarkRoute(service.address, JSON.stringify(event), basic(CREDENTIALS));
  expect(await call).toMatchObject({ status: 200 });
  await eventually(async () => (await stateOf(id, recipient)) === 'delivered');
}

async function resend(id: string): Promise<void> {
  expect(await settleUnknownOutcome(service.database, id, 'resend', () => [])).toBe(true);
  await eventually(async () => (await read(id)).status === 'sent');
}

/** The addresses of each message, by call. */
const called = () => postmark.requests.slice(before).map(({ messages }) => messages.map(({ Bcc, To }) => Bcc ?? To));

describe('hidden recipients of whom each may have the email', () => {
  const [has, mayHave] = ['has@example.com', 'may-have@example.com'];
  const unknown = (Message: string) => ({ ErrorCode: 101, Message });

  it.each([
    ['a response that leaves open each of them', { status: 200, body: [unknown('A'), unknown('B')] }],
    ['a failure of the whole call', { status: 500, body: {} }],
  ])('after %s: a report about one settles nothing about the other', async (_, response) => {
    postmark.scripts.add('*', response, 1);
    await sendHidden([has, mayHave]);
    const { id, to } = await inDoubt();
    expect(to).toEqual([has, mayHave]);
    await report(id, has);
    expect(await doubtful()).toMatchObject([{ to: [mayHave] }]);
    await resend(id);
    expect(called()).toEqual([[has, mayHave], [mayHave]]);
    expect([await stateOf(id, has), await stateOf(id, mayHave)]).toEqual(['delivered', 'sent']);
    expect(await read(id)).toMatchObject({ possibleDuplicate: true });
  });

  it('get no second copy, and no flag, if each is reported', async () => {
    postmark.scripts.add('*', { status: 500, body: {} }, 1);
    await sendHidden([has, mayHave]);
    const { id } = await inDoubt();
    await report(id, has);
    await report(id, mayHave);
    await resend(id);
    expect(called()).toEqual([[has, mayHave]]);
    expect(await read(id)).toMatchObject({ possibleDuplicate: false });
    expect([await stateOf(id, has), await stateOf(id, mayHave)]).toEqual(['delivered', 'delivered']);
    expect(await doubtful()).toEqual([]);
  });

  it('stay in doubt if the second copy has an unknown outcome, too, except those with a report', async () => {
    postmark.scripts.add('*', { status: 500, body: {} }, 1);
    await sendHidden([has, mayHave]);
    const { id } = await inDoubt();
    await report(id, has);
    postmark.scripts.add(id, { status: 500, body: {} }, 1);
    await resend(id);
    expect(await doubtful()).toMatchObject([{ id, state: 'sent', to: [mayHave] }]);
  });
});

it('an email of a broadcast with an unknown outcome gets no second copy after a report', async () => {
  const broadcasts = new BroadcastClient(client);
  const to = 'reader@example.com';
  postmark.scripts.add('*', { status: 500, body: {} }, 1);
  const broadcast = await broadcasts.create();
  await broadcasts.add(broadcast, [{ to }]);
  await broadcasts.move(broadcast, 'send');
  const { id } = await inDoubt();
  await report(id, to);
  await resend(id);
  expect(called()).toEqual([[to]]);
  expect(await read(id)).toMatchObject({ possibleDuplicate: false });
});

/**
 * Sends an email whose visible recipient is suppressed when it is due, so that each hidden one gets a separate message.
 */
async function sendHidden(bcc: readonly string[]): Promise<void> {
  const to = 'to@example.com';
  const email = { from: 'a@acme.example', to, bcc, subject: 'S', htmlContent: '<p>x</p>' };
  const sendAt = (milliseconds: number): object => ({ sendAt: new Date(Date.now() + milliseconds).toISOString() });
  const { body } = await client.post<SendResponse>('/api/send', { ...email, ...sendAt(3_600_000) });
  expect((await client.post('/api/suppressions', { addresses: [to] })).status).toBe(201);
  expect((await client.patch(`/api/emails/${body.emailTrackingId}`, sendAt(-1_000))).status).toBe(200);
}
