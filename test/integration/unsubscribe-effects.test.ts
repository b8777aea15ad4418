import { eventually } from '../support/eventually.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let receiver: WebhookReceiver;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  receiver = await WebhookReceiver.listen();
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await receiver?.stop();
});

/** Sends an email to this address, and returns the URL of its unsubscribe page. */
async function pageFor(to: string, campaignId = 'News'): Promise<string> {
  const email = { from: 'ada@acme.example', to, subject: 'S', htmlContent: '<p>x</p>', campaignId };
  const { message } = await sendMessage(client, service.mailServer, { ...email, unsubscribe: true });
  return /^List-Unsubscribe: <(.*)>\r$/m.exec(message.content.toString())![1]!;
}

async function post(page: string, body: Record<string, string>): Promise<void> {
  const response = await service.track(page, { method: 'POST', body: new URLSearchParams(body) });
  expect(response.status).toBe(200);
}

const oneClick = (page: string): Promise<void> => post(page, { 'List-Unsubscribe': 'One-Click' });
const entryOf = (address: string) => client.get(`/api/suppressions/${address}`);
const isSuppressed = async (address: string): Promise<boolean> => (await entryOf(address)).status === 200;

async function webhooks(address: string): Promise<string[]> {
  const rows = await service.database.query<{ type: string }>(
    `select type from webhook_deliveries where type like '%SUBSCRIBED' and body::json -> 'data' ->> 'recipient' = $1
      order by created_at, id`,
    [address],
  );
  return rows.map(({ type }) => type);
}

it('an unsubscribe has scope marketing; undoing it removes it; a repeated POST changes nothing and sends nothing', async () => {
  const events = ['EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED'];
  expect((await client.post('/api/webhooks', { url: receiver.url, events })).status).toBe(201);
  const address = 'reader@example.com';
  const page = await pageFor(address);

  await service.track(page);
  await service.track(page, { method: 'HEAD' });
  for (let time = 0; time < 3; time++) await oneClick(page);
  await eventually(() => isSuppressed(address));
  expect((await entryOf(address)).body).toMatchObject({ address, reason: 'unsubscribe', scope: 'marketing' });

  await post(page, { from: 'page', choice: 'resubscribe' });
  await eventually(async () => !(await isSuppressed(address)));
  await oneClick(page);
  await eventually(() => isSuppressed(address));
  expect(await webhooks(address)).toEqual(['EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED', 'EMAIL_UNSUBSCRIBED']);
  await eventually(() => receiver.received.length === 3);
});

it('unsubscribing again after the organization has removed the entry adds it again and is reported, and counts once', async () => {
  const address = 'twice@example.com';
  const page = await pageFor(address, 'Twice');
  await oneClick(page);
  await eventually(() => isSuppressed(address));
  expect((await client.delete(`/api/suppressions/${address}`)).status).toBe(204);
  for (let time = 0; time < 3; time++) await oneClick(page);
  const stored = () =>
    service.database.query(`select from delivery_events where address_key = $1 and type = 'unsubscribed'`, [address]);
  await eventually(async () => (await stored()).length === 4);
  expect(await isSuppressed(address)).toBe(true);
  expect(await webhooks(address)).toEqual(['EMAIL_UNSUBSCRIBED', 'EMAIL_UNSUBSCRIBED']);
  const [row] = await service.database.query(
    `select (facts & 64) <> 0 as "isUnsubscribed",
            (select sum(unsubscribed)::int from campaign_totals t join emails e using (campaign_id) where e.id = d.email_id) as counted
       from recipient_deliveries d where address = $1`,
    [address],
  );
  expect(row).toEqual({ isUnsubscribed: true, counted: 1 });
});
