import { createTransport } from 'nodemailer';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { systemClock } from '../../src/platform/clock/clock.js';
import { markDeleted } from '../../src/organizations/deletion/mark-deleted.js';
import { Organizations } from '../../src/organizations/organizations.js';
import { Plans } from '../../src/organizations/plans.js';
import { deliveryStatus } from '../events/feedback/smtp/written-notifications.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { Browser } from '../support/browser.js';
import { useEveryResource } from '../support/every-resource.js';
import { eventually } from '../support/eventually.js';
import { fillOrganization } from '../support/full-organization.js';
import { LimitedService } from '../support/limited-service.js';
import { newUser, PASSWORD } from '../support/people.js';
import { followLive } from '../support/follow-live.js';
import { insertOldRows, runRecurringJobs } from '../support/recurring-runs.js';
import { apiRoutes, nameOf, sessionRoutes } from '../support/routes.js';
import { AWAIT_RESULT, type TestClient } from '../support/service.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { submitMail } from './submit-mail.js';

const email = {
  from: 'ada@acme.example',
  subject: 'The engine',
  htmlContent: '<a href="https://e.co/">x</a> <a href="{{unsubscribe_url}}">No more</a>',
};
const TIMEOUT_MS = 30_000;

const sendGrid = new EventWebhookKey();
let limited: LimitedService;
let receiver: WebhookReceiver;
let client: TestClient;

beforeAll(async () => {
  receiver = await WebhookReceiver.listen();
  limited = await LimitedService.start({
    ...AWAIT_RESULT,
    BOUNCE_DOMAIN: 'bounces.example.com',
    BOUNCE_SMTP_PORT: '0',
    SUBMISSION_PORT: '0',
    HOST: '127.0.0.1',
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    SENDGRID_EVENT_PUBLIC_KEY: sendGrid.publicKey,
    EMAIL_CONTENT_RETENTION_DAYS: '1',
    EVENT_RETENTION_MONTHS: '1',
    DEAD_LETTER_RETENTION_DAYS: '1',
    PLANS: 'pro=,tiny=5',
    BUDGET_EMAILS_PER_DAY: 'pro=100000,tiny=10',
    BUDGET_EVENTS_PER_EMAIL_PER_MINUTE: 'pro=100',
  });
  client = await organization('Acme');
  const { status } = await client.post('/api/webhooks', {
    url: receiver.url,
    events: ['EMAIL_SENT', 'EMAIL_OPENED', 'EMAIL_CLICKED', 'EMAIL_BOUNCED', 'EMAIL_UNSUBSCRIBED'],
  });
  expect(status).toBe(201);
});
afterAll(async () => {
  await limited?.stop();
  await receiver?.stop();
});
afterEach(async () => expect(await limited.refusals()).toEqual([]));

/** Only operators create organizations. */
async function organization(name: string, plan = 'pro'): Promise<TestClient> {
  const { api } = limited.roles;
  const created = await new Organizations(limited.owner, new Plans(api.settings), systemClock).create(name, plan);
  return api.client(created.id, created.apiKey);
}

async function send(fields: object, by = client): Promise<SendResponse> {
  const { status, body } = await by.post<SendResponse>('/api/send', { ...email, ...fields });
  expect(status).toBe(200);
  return body;
}

const read = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

/** Waits for a webhook of this type about this email. */
const webhookFor = (event: string, { emailTrackingId }: SendResponse): Promise<unknown> =>
  eventually(
    () => receiver.received.find(({ body }) => body.includes(`"${event}"`) && body.includes(emailTrackingId)),
    TIMEOUT_MS,
  );

describe('with a login to Postgres and a user of Redis for each role', () => {
  it('an email is sent, opened, clicked and unsubscribed from, with webhooks', async () => {
    const sent = await send({ to: 'reader@example.com', unsubscribe: true, campaignId: 'Spring' });
    const { tracking } = limited.roles;
    expect((await tracking.track(sent.pixelUrl)).status).toBe(200);
    expect((await tracking.track(sent.links[0]!.trackingUrl)).status).toBe(302);
    const [message] = limited.roles.api.mailServer.messages;
    const page = /http:\/\/track\.test\/api\/t\/u\/[\w.-]+/.exec(
      message!.content.toString().replace(/=\r?\n/g, ''),
    )![0];
    expect((await tracking.track(page)).status).toBe(200);
    expect((await tracking.track(page, { method: 'POST' })).status).toBe(200);
    await eventually(async () => {
      const { opens, clicks } = await read(sent.emailTrackingId);
      return opens === 1 && clicks === 1;
    }, TIMEOUT_MS);
    for (const event of ['EMAIL_SENT', 'EMAIL_OPENED', 'EMAIL_CLICKED', 'EMAIL_UNSUBSCRIBED'])
      await webhookFor(event, sent);
  });

  it('mail is taken over SMTP, with a new campaign, a file, labels and a budget that is used up', async () => {
    await submitMail(limited.roles.smtp, client, await organization('Small', 'tiny'));
  });

  it('bounces are received by SMTP, and events from SendGrid', async () => {
    const [bounced, reported] = [await send({ to: 'gone@example.com' }), await send({ to: 'full@example.com' })];
    const { api, bounces } = limited.roles;
    const message = api.mailServer.messages.find(({ recipients }) => recipients.includes('gone@example.com'))!;
    const transport = createTransport({ host: '127.0.0.1', port: bounces.settings.BOUNCE_SMTP_PORT!, ignoreTLS: true });
    const raw = deliveryStatus('Final-Recipient: rfc822; gone@example.com\nAction: failed\nStatus: 5.1.1');
    await transport.sendMail({ envelope: { from: '', to: [message.sender] }, raw });
    transport.close();
    const [{ id }] = (await limited.owner.query<{ id: string }>('select id from emails where tracking_id = $1', [
      reported.emailTrackingId,
    ])) as [{ id: string }];
    const events = ['delivered', 'deferred', 'spamreport', 'bounce', 'unsubscribe'].map((type) =>
      sendGridEvent(type, { email: 'full@example.com', mailbeacon_email_id: id, status: '5.1.7', type }),
    );
    const body = JSON.stringify(events);
    expect((await postToSendGridRoute(api.address, body, sendGrid.sign(body))).status).toBe(200);
    await webhookFor('EMAIL_BOUNCED', bounced);
    await eventually(
      async () => (await read(reported.emailTrackingId)).recipients[0]?.state === 'complained',
      TIMEOUT_MS,
    );
  });

  it('broadcasts are sent, paused and canceled; mail is scheduled and canceled', async () => {
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, people(20));
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const slow = await broadcasts.create({ name: 'Slow', pace: 1 });
    await broadcasts.add(slow, people(5, 100));
    for (const move of ['send', 'pause', 'resume', 'cancel'] as const) await broadcasts.move(slow, move);
    await broadcasts.settled(slow, 'canceled');
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    const later = await client.post<SendResponse>('/api/send', { ...email, to: 'later@example.com', sendAt });
    expect((await client.post(`/api/emails/${later.body.emailTrackingId}/cancel`, {})).status).toBe(200);
    const batch = {
      emails: [
        { ...email, to: 'one@example.com' },
        { ...email, to: 'two@example.com' },
      ],
    };
    const headers = { 'idempotency-key': 'batch-1' };
    for (const status of [202, 202]) expect((await client.post('/api/send/batch', batch, headers)).status).toBe(status);
  });

  it('a person is exported and erased, even one who shares emails and has mail in progress', async () => {
    const attachments = [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }];
    const shared = await send({ to: ['jane@example.com', 'bob@example.com'], tags: ['x'], attachments });
    await send({ to: 'jane@example.com', attachments, tags: ['x'] });
    await limited.roles.tracking.track(shared.links[0]!.trackingUrl);
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    await client.post('/api/send', { ...email, to: 'jane@example.com', sendAt });
    await client.post('/api/suppressions', { address: 'jane@example.com', reason: 'manual' });
    expect((await client.get('/api/contacts/jane%40example.com/export')).status).toBe(200);
    await eventually(async () => (await client.delete('/api/contacts/jane%40example.com')).status === 404, TIMEOUT_MS);
  });

  it('every route of the API works, with a key and in the dashboard', async () => {
    const failed: string[] = [];
    await followLive(client, limited.roles.api);
    for (const route of apiRoutes().filter(({ path }) => path !== '/api/live')) {
      const path = route.path.replace(/:\w+/g, '00000000-0000-7000-8000-000000000000');
      const json = { method: route.method, headers: { 'content-type': 'application/json' }, body: '{}' };
      const { status } = await client.request(path, route.method === 'GET' ? { method: 'GET' } : json);
      if (status >= 500) failed.push(`${nameOf(route)}: ${status}`);
    }
    const { api } = limited.roles;
    // Fixtures use the owner's connection.
    const service = Object.create(api, { database: { value: limited.owner } }) as typeof api;
    const user = await newUser(service, client.organizationId, 'owner');
    const browser = new Browser(api);
    expect((await browser.post('/api/session', { email: user.email, password: PASSWORD })).status).toBe(201);
    for (const route of sessionRoutes().filter(({ method }) => method !== 'DELETE')) {
      const path = route.path.replace(/:\w+/g, user.id);
      const { status } = await browser.request(route.method, path, route.method === 'GET' ? undefined : {});
      if (status >= 500) failed.push(`${nameOf(route)}: ${status}`);
    }
    expect(failed).toEqual([]);
  });

  it('keys create, change and delete each resource of an organization', async () => {
    await useEveryResource(client, receiver.url);
  });

  it('an organization is deleted, and every recurring job runs', async () => {
    const doomed = await organization('Doomed');
    await fillOrganization(limited.owner, doomed.organizationId, 300);
    await limited.owner.transaction((sql) => markDeleted(sql, doomed.organizationId));
    await limited.owner.query(`update organizations set deleted_at = now() - interval '1 minute' where id = $1`, [
      doomed.organizationId,
    ]);
    await insertOldRows(limited.owner);
    await runRecurringJobs(limited.redis.url);
    await eventually(async () => {
      const rows = await limited.owner.query('select from organizations where id = $1', [doomed.organizationId]);
      return rows.length === 0;
    }, 60_000);
    const rows = await limited.owner.query(`select from pg_class where relname = 'events_2020_01'`);
    expect(rows).toEqual([]);
    const [left] = await limited.owner.query<Record<string, number>>(
      `select (select count(*) from event_dead_letters)::int as letters,
              (select count(*) from audit_entries where at < now() - interval '1 year')::int as entries`,
    );
    expect(left).toEqual({ letters: 0, entries: 0 });
  });
});
