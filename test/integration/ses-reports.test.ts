import { eventually } from '../support/eventually.js';
import { recipientStates } from '../support/recipient-states.js';
import { SesStub } from '../support/ses-stub.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import { CERTIFICATE_URL, postToSesRoute, SnsSigner, SnsStub, TOPIC } from '../support/sns-calls.js';

let ses: SesStub;
let sns: SnsStub;
let signer: SnsSigner;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  [ses, signer] = await Promise.all([SesStub.listen(), SnsSigner.create()]);
  sns = new SnsStub();
  sns.respond = (url) => new Response(signer.certificate, { status: url === CERTIFICATE_URL ? 200 : 404 });
  const provider = { id: 'main', type: 'ses', region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 's' };
  service = await TestService.start({
    environment: { PROVIDERS: JSON.stringify([provider]), SES_API_URL: ses.url, SES_EVENT_TOPICS: TOPIC },
  });
  client = await service.organization();
});
afterAll(async () => {
  sns?.restore();
  await service?.stop();
  await ses?.close();
});

it('a signed message finds the email by its tags and updates each recipient that it names', async () => {
  const { response, message } = await sendMessage(client, ses, {
    ...{ from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' },
    ...{ to: ['Delivered@example.com', 'bounced@example.com'], cc: 'complained@example.com', bcc: 'sent@example.com' },
  });
  const sent = message.body;
  expect(sent.Destination.ToAddresses).toHaveLength(4);
  const timestamp = new Date().toISOString();
  // SES returns each tag as a list.
  const tags = Object.fromEntries(sent.EmailTags.map(({ Name, Value }) => [Name, [Value]]));
  const about = (eventType: string, facts: object, of: object = tags) => {
    return { eventType, mail: { timestamp, messageId: 'ses-1', tags: of }, ...facts };
  };
  const bouncedRecipients = [{ emailAddress: 'bounced@example.com', status: '5.1.1', diagnosticCode: 'No user' }];
  const complaint = (emailAddress: string) => ({ timestamp, complainedRecipients: [{ emailAddress }] });
  const events = [
    about('Complaint', { complaint: complaint('complained@example.com') }),
    about('Delivery', { delivery: { timestamp, recipients: ['delivered@example.com'], smtpResponse: '250 OK' } }),
    about('Bounce', { bounce: { timestamp, bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients } }),
    about('Complaint', { complaint: complaint('stranger@example.com') }),
    about('Complaint', { complaint: complaint('sent@example.com') }, {}),
  ];
  for (const event of [...events, ...events])
    expect((await postToSesRoute(service.address, signer.message(event))).status).toBe(200);
  expect(await recipientStates(client, response.emailTrackingId, 3)).toEqual({
    'delivered@example.com': 'delivered',
    'bounced@example.com': 'bounced',
    'complained@example.com': 'complained',
    'sent@example.com': 'sent',
  });
});

it('a complaint that names several recipients suppresses them, and counts once', async () => {
  const other = await service.organization();
  const to = ['one@suspects.example', 'two@suspects.example', 'three@suspects.example'];
  const email = { from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>', to };
  const { message } = await sendMessage(other, ses, email);
  const timestamp = new Date().toISOString();
  const tags = Object.fromEntries(message.body.EmailTags.map(({ Name, Value }) => [Name, [Value]]));
  const complaint = { timestamp, complainedRecipients: to.map((emailAddress) => ({ emailAddress })) };
  await postToSesRoute(
    service.address,
    signer.message({ eventType: 'Complaint', mail: { timestamp, tags }, complaint }),
  );
  const read = (sql: string) => service.database.query<Record<string, unknown>>(sql, [other.organizationId]);
  const suppressed = () => read(`select from suppressions where organization_id = $1 and reason = 'complaint'`);
  await eventually(async () => (await suppressed()).length === to.length);
  const counted = 'select complained from sending_rates where organization_id = $1 and complained > 0';
  expect(await read(counted)).toEqual([{ complained: 1 }]);
});

it('a bounce concerns the only recipient of a message, even if it names the address to which that one forwards', async () => {
  const { response, message } = await sendMessage(client, ses, {
    ...{ from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>', to: 'forwards@example.com' },
  });
  const timestamp = new Date().toISOString();
  const tags = Object.fromEntries(message.body.EmailTags.map(({ Name, Value }) => [Name, [Value]]));
  const bouncedRecipients = [{ emailAddress: 'mailbox@internal.example', status: '5.1.1' }];
  const bounce = { timestamp, bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients };
  await postToSesRoute(service.address, signer.message({ eventType: 'Bounce', mail: { timestamp, tags }, bounce }));
  const recipients = await eventually(async () => {
    const detail = await client.get<{ recipients: { state: string }[] }>(`/api/emails/${response.emailTrackingId}`);
    return detail.body.recipients.some(({ state }) => state !== 'sent') && detail.body.recipients;
  });
  expect(recipients).toMatchObject([{ address: 'forwards@example.com', state: 'bounced' }]);
});
