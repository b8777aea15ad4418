import { basic, postmarkEvent, postToPostmarkRoute } from '../support/postmark-calls.js';
import { PostmarkStub } from '../support/postmark-stub.js';
import { recipientStates } from '../support/recipient-states.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';

const CREDENTIALS = 'postmark:secret';
let postmark: PostmarkStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  postmark = await PostmarkStub.listen();
  const provider = { id: 'main', type: 'postmark', serverToken: 'token-1', messageStream: 'outbound' };
  service = await TestService.start({
    environment: {
      PROVIDERS: JSON.stringify([provider]),
      POSTMARK_API_URL: postmark.url,
      POSTMARK_EVENT_CREDENTIALS: CREDENTIALS,
    },
  });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await postmark?.close();
});

it('a call finds the email by its metadata and updates its recipient', async () => {
  const { response, message } = await sendMessage(client, postmark, {
    ...{ from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' },
    ...{ to: ['Delivered@example.com', 'bounced@example.com'], cc: 'complained@example.com', bcc: 'sent@example.com' },
  });
  const { Metadata, MessageStream } = message;
  expect(MessageStream).toBe('outbound');
  const events = [
    postmarkEvent('SpamComplaint', { Email: 'complained@example.com', Type: 'SpamComplaint', Metadata }),
    postmarkEvent('Delivery', { Recipient: 'delivered@example.com', Metadata }),
    postmarkEvent('Bounce', { Email: 'bounced@example.com', Type: 'HardBounce', Details: '5.1.1 No user', Metadata }),
    postmarkEvent('SpamComplaint', { Email: 'stranger@example.com', Metadata }),
    postmarkEvent('SpamComplaint', { Email: 'sent@example.com' }),
  ];
  for (const event of [...events, ...events]) {
    const { status: result } = await postToPostmarkRoute(service.address, JSON.stringify(event), basic(CREDENTIALS));
    expect(result).toBe(200);
  }
  expect(await recipientStates(client, response.emailTrackingId, 3)).toEqual({
    'delivered@example.com': 'delivered',
    'bounced@example.com': 'bounced',
    'complained@example.com': 'complained',
    'sent@example.com': 'sent',
  });
});

it('an inactive recipient fails alone', async () => {
  postmark.scripts.add('*', {
    status: 200,
    body: {
      ...{ ErrorCode: 0, MessageID: 'pm-1', To: 'ok@example.com' },
      Message: 'Message OK, but will not deliver to these inactive addresses: inactive@example.com.',
    },
  });
  const { response } = await sendMessage(client, postmark, {
    ...{ from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' },
    to: ['ok@example.com', 'Inactive@example.com'],
  });
  postmark.scripts.clear();
  expect(await recipientStates(client, response.emailTrackingId, 1)).toEqual({
    'ok@example.com': 'sent',
    'inactive@example.com': 'failed',
  });
});
