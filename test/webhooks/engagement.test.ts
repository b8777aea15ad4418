import { Webhook } from 'standardwebhooks';
import type { Database } from '../../src/platform/database/database.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { MAX_PENDING, MAX_WAITING } from '../../src/webhooks/full-endpoints.sql.js';
import { engagementBody, insertEngagementDeliveries } from '../../src/webhooks/webhook-payloads.sql.js';
import { flushEntries } from '../support/flush-entries.js';
import { ALL_RULES_OFF } from '../../src/events/ingest/rules/hit.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { clicked, opened, sendMail } from '../roles/flusher/sent-mail.js';
import { ANY_VERDICT } from '../support/engagement.js';
import { eventually } from '../support/eventually.js';
import { openTestDatabase } from '../support/test-database.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { AWAIT_RESULT } from '../support/service.js';
import { WebhookBench } from './webhook-bench.js';

/** Nothing here is a burst, but a verdict may change for an hour. */
const SLOW_VERDICTS = { ...ALL_RULES_OFF, ENGAGEMENT_BURST_MS: 3_600_000 };

let bench: WebhookBench;
let receiver: WebhookReceiver;

describe('a webhook', () => {
  beforeEach(async () => {
    bench = await WebhookBench.start({ environment: AWAIT_RESULT });
    receiver = await WebhookReceiver.listen();
  });
  afterEach(async () => {
    await receiver.stop();
    await bench?.stop();
  });

  it('receives opens and clicks, each once, with the clicked link and no data of the reader', async () => {
    const { secret } = await bench.webhook(receiver.url, ['EMAIL_OPENED', 'EMAIL_CLICKED']);
    const { body: sent } = await bench.client.post<SendResponse>('/api/send', {
      from: 'a@acme.example',
      to: 'reader@example.com',
      subject: 'Sale “today”',
      htmlContent: '<a href="https://shop.example/?a=1&amp;b=ü">x</a>',
      campaignId: 'Spring',
      metadata: { order: 7, note: 'ü\n"' },
    });
    await bench.service.track(sent.pixelUrl, { headers: { 'user-agent': 'Canary/1.0' } });
    await bench.service.track(sent.links[0]!.trackingUrl);
    await eventually(() => receiver.received.length >= 2);
    await bench.sweep();
    expect(receiver.received).toHaveLength(2);
    const bodies = receiver.received.map(
      ({ body, headers }) =>
        new Webhook(secret).verify(body, headers) as { type: string; timestamp: string; data: object },
    );
    const data = {
      id: expect.any(String),
      emailTrackingId: sent.emailTrackingId,
      from: sent.from,
      to: ['reader@example.com'],
      subject: 'Sale “today”',
      campaign: 'Spring',
      metadata: { order: 7, note: 'ü\n"' },
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    };
    const byType = Object.fromEntries(bodies.map((body) => [body.type, body]));
    const opened = { ...data, ...ANY_VERDICT };
    expect(byType.EMAIL_OPENED).toEqual({ type: 'EMAIL_OPENED', timestamp: expect.any(String), data: opened });
    expect(byType.EMAIL_CLICKED!.data).toEqual({ ...opened, url: sent.links[0]!.originalUrl });
    expect(JSON.stringify(receiver.received)).not.toContain('Canary');
  });

  it('receives a failed email with the reason', async () => {
    await bench.webhook(receiver.url, ['EMAIL_FAILED']);
    bench.service.mailServer.scripts.add('gone@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
    const email = { from: 'a@acme.example', to: 'gone@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    expect((await bench.client.post('/api/send', email)).status).toBe(500);
    await eventually(() => receiver.received.length > 0);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: 'EMAIL_FAILED',
      data: { to: ['gone@example.com'], failedAt: expect.any(String), reason: expect.stringContaining('550') },
    });
  });
});

/** Without a service, whose jobs at start could make a flush repeat. */
describe('a flush', () => {
  let database: Database;
  let closeDatabase: () => Promise<void>;
  beforeEach(async () => ({ database, close: closeDatabase } = await openTestDatabase()));
  afterEach(() => closeDatabase?.());

  const entryOf = (events: Parameters<typeof encodeEvent>[0][]) => {
    const packed = packEntry(events.map(encodeEvent));
    return { id: '1-1', packed, raw: packed, deliveries: 1 };
  };

  async function mailOf(recipients: number[]) {
    const mail = await sendMail(database, recipients);
    for (const { id } of mail.emails) {
      await database.query(
        `insert into email_contents (email_id, sender, to_addresses, subject, html) values ($1, 'a@b.co', '{c@d.co}', 'S', '')`,
        [id],
      );
    }
    const [endpoint] = await database.query<{ id: string }>(
      `insert into webhook_endpoints (id, organization_id, url, events, enabled)
       values (gen_random_uuid(), $1, 'https://hooks.example/', '{EMAIL_CLICKED}', true) returning id`,
      [mail.organizationId],
    );
    return { ...mail, endpointId: endpoint!.id };
  }

  const written = () =>
    database.query<{ endpoint_id: string; type: string; body: string }>(
      `select endpoint_id, type, ${engagementBody('d')} as body from webhook_deliveries d order by id`,
    );

  it('stores a delivery per new event, for any number of contacts and repetitions', async () => {
    const mail = await mailOf([3, 1]);
    const events = [
      clicked(mail.emails[0]!.trackingId, 0, 'https://a.example/'),
      clicked(mail.emails[1]!.trackingId, 1, 'https://b.example/'),
      opened(mail.emails[0]!.trackingId),
    ];
    const first = await flushEntries(database, [entryOf(events)]);
    expect(first).toMatchObject({ stored: 3, webhookDeliveries: [expect.any(String), expect.any(String)] });
    const again = await flushEntries(database, [entryOf([...events, ...events])]);
    expect(again).toMatchObject({ stored: 0, webhookDeliveries: [] });
    const rows = await written();
    expect(rows.map(({ endpoint_id, type }) => [endpoint_id, type])).toEqual(
      Array(2).fill([mail.endpointId, 'EMAIL_CLICKED']),
    );
    expect(rows.map(({ body }) => (JSON.parse(body) as { data: { url: string } }).data.url).sort()).toEqual([
      'https://a.example/',
      'https://b.example/',
    ]);
  });

  it('costs one index look-up if no endpoint subscribes', async () => {
    const plan = await database.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off)
       with news as (
         select id as event_id, 'opened' as type, id as email_id, null::int as link_position,
                0 as verdict, false as is_machine, false as may_change
           from (select gen_random_uuid() as id from generate_series(1, 1000)) ids
       ), told as (${insertEngagementDeliveries('news', "'{}'::uuid[]", '0')})
       select count(*) from told`,
    );
    const lines = plan.map((row) => row['QUERY PLAN']);
    expect(lines.find((line) => line.includes('CTE Scan on news'))).toContain('never executed');
    expect(lines.find((line) => line.includes('webhook_endpoints_engagement'))).toContain('loops=1');
  });

  it('stores no body, and no more click deliveries while too many wait for the webhook', async () => {
    const { emails, endpointId } = await mailOf([1]);
    const flush = () => flushEntries(database, [entryOf([clicked(emails[0]!.trackingId)])]);
    expect(await flush()).toMatchObject({ webhookDeliveries: [expect.any(String)], fullEndpoints: 0 });
    const [row] = await database.query('select body, email_id from webhook_deliveries');
    expect(row).toEqual({ body: null, email_id: emails[0]!.id });
    await database.query(
      `insert into webhook_deliveries (id, endpoint_id, type, body)
       select gen_random_uuid(), $1, 'EMAIL_SENT', '{}' from generate_series(1, $2::int)`,
      [endpointId, MAX_PENDING],
    );
    expect(await flush()).toMatchObject({ stored: 1, webhookDeliveries: [], fullEndpoints: 1 });
  });

  it('goes on while many deliveries wait only for their verdicts, but not without end', async () => {
    const { emails, endpointId } = await mailOf([1]);
    const flush = () => flushEntries(database, [entryOf([clicked(emails[0]!.trackingId)])], SLOW_VERDICTS);
    const insertUndecided = (deliveries: number) =>
      database.query(
        `insert into webhook_deliveries (id, endpoint_id, type, event_id, verdict, next_attempt_at)
         select gen_random_uuid(), $1, 'EMAIL_CLICKED', gen_random_uuid(), 0, now() + interval '10 minutes'
           from generate_series(1, $2::int)`,
        [endpointId, deliveries],
      );
    await insertUndecided(MAX_PENDING + 1);
    expect(await flush()).toMatchObject({ webhookDeliveries: [expect.any(String)], fullEndpoints: 0 });
    await insertUndecided(MAX_WAITING - MAX_PENDING);
    expect(await flush()).toMatchObject({ webhookDeliveries: [], fullEndpoints: 1 });
  });

  it('stores no more click deliveries while too many wait for another attempt', async () => {
    const { emails, endpointId } = await mailOf([1]);
    await database.query(
      `insert into webhook_deliveries (id, endpoint_id, type, event_id, verdict, attempts, next_attempt_at)
       select gen_random_uuid(), $1, 'EMAIL_CLICKED', gen_random_uuid(), 0, 1, now() + interval '2 hours'
         from generate_series(1, $2::int)`,
      [endpointId, MAX_PENDING + 1],
    );
    const flushed = await flushEntries(database, [entryOf([clicked(emails[0]!.trackingId)])], SLOW_VERDICTS);
    expect(flushed).toMatchObject({ stored: 1, webhookDeliveries: [], fullEndpoints: 1 });
  });

  it("stores no delivery for another organization's endpoint, nor for a disabled one", async () => {
    const theirs = await mailOf([1]);
    const ours = await mailOf([1]);
    await database.query('update webhook_endpoints set enabled = false where id = $1', [ours.endpointId]);
    await flushEntries(database, [
      entryOf([clicked(ours.emails[0]!.trackingId), clicked(theirs.emails[0]!.trackingId)]),
    ]);
    expect((await written()).map(({ endpoint_id }) => endpoint_id)).toEqual([theirs.endpointId]);
  });
});
