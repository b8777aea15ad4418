import { eventually } from '../support/eventually.js';
import { postToResendRoute, resendEvent, resendHeaders } from '../support/resend-calls.js';
import { addressesOf, ResendStub } from '../support/resend-stub.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`;
let resend: ResendStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  resend = await ResendStub.listen();
  service = await TestService.start({
    environment: {
      PROVIDERS: JSON.stringify([{ id: 'main', type: 'resend', apiKey: 're_key' }]),
      RESEND_API_URL: resend.url,
      RESEND_EVENT_SECRET: SECRET,
    },
  });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await resend?.close();
});

interface Recipient {
  readonly address: string;
  readonly state: string;
}

/** Sends an email and returns its ID, its recipients at Resend and the tags that Resend returns in events. */
async function send(recipients: object): Promise<{ id: string; addresses: readonly string[]; tags: object }> {
  const content = { from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' };
  const { response, message } = await sendMessage(client, resend, { ...content, ...recipients });
  const tags = Object.fromEntries(message.body.tags.map(({ name, value }) => [name, value]));
  return { id: response.emailTrackingId, addresses: addressesOf(message.body), tags };
}

async function report(type: string, data: object): Promise<unknown> {
  const call = JSON.stringify(resendEvent(type, data));
  const { status, body } = await postToResendRoute(service.address, call, resendHeaders(SECRET, call));
  expect(status).toBe(200);
  return body;
}

async function statesOf(id: string): Promise<Recipient[]> {
  const { body } = await client.get<{ recipients: Recipient[] }>(`/api/emails/${id}`);
  return body.recipients.map(({ address, state }) => ({ address, state }));
}

it.each([
  ['email.delivered', {}, 'delivered'],
  ['email.bounced', { bounce: { type: 'Permanent', subType: 'General', message: 'No' } }, 'bounced'],
  ['email.complained', {}, 'complained'],
])('a signed call finds the email by its tags and updates its recipient: %s', async (type, more, state) => {
  const address = `${state}@example.com`;
  const { id, tags } = await send({ to: address });
  await report(type, { to: ['stranger@example.com'], tags, ...more });
  const repeated = { to: [address], tags, ...more };
  await report(type, repeated);
  await report(type, repeated);
  await eventually(async () => (await statesOf(id))[0]?.state === state);
  expect(await statesOf(id)).toEqual([{ address, state }]);
});

it('an event of an email to several recipients concerns nobody for certain, so it changes nothing', async () => {
  const { id, addresses, tags } = await send({ to: 'shown@example.com', cc: 'copied@example.com' });
  expect(addresses).toHaveLength(2);
  const bounce = { type: 'Permanent', subType: 'General', message: 'No' };
  // Resend names only `to`, also when the recipient in cc is meant.
  const response = await report('email.bounced', { to: ['shown@example.com'], tags, bounce });
  expect(response).toEqual({ stored: 0, ignored: 1 });
  expect((await statesOf(id)).map(({ state }) => state)).toEqual(['sent', 'sent']);
});
