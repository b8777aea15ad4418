import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { TimelineEntry } from '../../src/emails/read/timeline-entry.js';
import { appendEntry } from '../../src/events/stream/append-entry.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import { reportOf } from '../emails/recipients/reported-mail.js';
import { ANY_VERDICT } from '../support/engagement.js';
import { eventually } from '../support/eventually.js';
import { nextPage } from '../support/next-page.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookBench } from '../webhooks/webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;
let redis: RedisConnection;

beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { SEND_RESPONSE_TIMEOUT_MS: '0' } });
  receiver = await WebhookReceiver.listen();
  redis = connectForBlocking(bench.service.settings.REDIS_URL);
  await eventually(() => redis.status === 'ready');
});
afterAll(async () => {
  redis?.disconnect();
  await receiver?.stop();
  await bench?.stop();
});

const to = 'Ann@example.com';

async function timelineOf(id: string): Promise<TimelineEntry[]> {
  const { status, body } = await bench.client.get<{ timeline: TimelineEntry[] }>(`/api/emails/${id}/timeline`);
  expect({ status, error: (body as { error?: string }).error }).toEqual({ status: 200 });
  return body.timeline;
}

it('the timeline has every event in order of time, with the texts of provider, receiver and webhook', async () => {
  await bench.webhook(receiver.url, ['EMAIL_BOUNCED']);
  bench.service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Try again later' }, 1);
  const { body: sent } = await bench.client.post<SendResponse>('/api/send', {
    ...{ from: 'a@acme.example', to, subject: 'S', htmlContent: '<a href="https://shop.example/">x</a>' },
  });
  await eventually(async () => (await timelineOf(sent.emailTrackingId)).some(({ type }) => type === 'attempted'));
  await bench.service.database.query(`update pending_emails set due_at = now() where email_id is not null`);
  const email = await eventually(async () => {
    const { body } = await bench.client.get<EmailDetail>(`/api/emails/${sent.emailTrackingId}`);
    return body.status === 'sent' && body;
  });
  const words = { smtpStatus: '5.1.1', reason: '550 5.1.1 No such user' };
  const [later, last] = [Date.now() + 60_000, Date.now() + 120_000];
  const wholeSecond = Math.floor(Date.parse(email.sentAt!) / 1000) * 1000;
  const reports = [
    reportOf(email.id, 0, 'deferred', { at: wholeSecond }),
    reportOf(email.id, 0, 'unsubscribed', { at: last }),
    reportOf(email.id, 0, 'bounced', { bounce: 'hard', at: later, ...words }),
  ];
  await appendEntry(redis, packEntry(reports.map(encodeEvent)));
  await bench.service.track(email.pixelUrl);
  await bench.service.track(email.links[0]!.trackingUrl);
  const timeline = await eventually(async () => {
    const entries = await timelineOf(email.id);
    return entries.length >= 9 && entries.some(({ webhook }) => webhook?.status === 'delivered') && entries;
  });
  const byTime = [...timeline].sort((a, b) => a.at.localeCompare(b.at));
  expect(timeline).toEqual(byTime);
  expect(timeline.filter(({ webhook }) => !webhook)).toEqual([
    { type: 'accepted', at: email.createdAt },
    { type: 'attempted', at: expect.any(String), reason: expect.stringContaining('451 4.7.1 Try again later') },
    { type: 'sent', at: email.sentAt, reason: expect.stringMatching(/^250 2\.0\.0 Ok: queued as \w+$/) },
    { type: 'deferred', at: email.sentAt, recipient: to },
    { type: 'opened', at: expect.any(String), ...ANY_VERDICT },
    { type: 'clicked', at: expect.any(String), link: 'https://shop.example/', ...ANY_VERDICT },
    { type: 'bounced', at: new Date(later).toISOString(), recipient: to, bounce: 'hard', ...words },
    { type: 'unsubscribed', at: new Date(last).toISOString(), recipient: to },
  ]);
  expect(timeline.find(({ webhook }) => webhook)!.webhook).toMatchObject({
    ...{ event: 'EMAIL_BOUNCED', status: 'delivered', attempts: 1, error: null },
    responseStatus: expect.any(Number),
  });

  const pages: TimelineEntry[] = [];
  for (let path: string | undefined = `/api/emails/${email.id}/timeline?limit=3`; path;) {
    const { body, headers } = await bench.client.get<{ timeline: TimelineEntry[] }>(path);
    expect(body.timeline.length).toBeLessThanOrEqual(3);
    pages.push(...body.timeline);
    path = nextPage(headers);
  }
  expect(pages).toEqual(timeline);
});

it('keeps the first 200 characters of the reply with which a server accepts an email, as one line', async () => {
  const [words, reader] = ['250 2.0.0 Ok\tqueued \u0001 as ', 'long@example.com'];
  bench.service.mailServer.scripts.add(reader, { phase: 'dot', reply: words + 'x'.repeat(450) });
  const { body: response } = await bench.client.post<SendResponse>('/api/send', {
    ...{ from: 'a@acme.example', to: reader, subject: 'S', htmlContent: '<p>x</p>' },
  });
  const entry = await eventually(async () =>
    (await timelineOf(response.emailTrackingId)).find(({ type }) => type === 'sent'),
  );
  expect(entry.reason).toMatch(/^250 2\.0\.0 Ok queued as x+…$/);
  expect(entry.reason).toHaveLength(200);
});

it('the timeline has the reply and the status code with which a mail server refused one of several recipients', async () => {
  const [refused, reached] = ['refused@example.com', 'reached@example.com'];
  bench.service.mailServer.scripts.add(refused, { phase: 'rcpt', reply: '550 5.7.1 Not allowed' });
  const { body: response } = await bench.client.post<SendResponse>('/api/send', {
    ...{ from: 'a@acme.example', to: [refused, reached], subject: 'S', htmlContent: '<p>x</p>' },
  });
  const entry = await eventually(async () =>
    (await timelineOf(response.emailTrackingId)).find(({ type }) => type === 'refused'),
  );
  expect(entry).toMatchObject({
    recipient: refused,
    smtpStatus: '5.7.1',
    reason: expect.stringContaining('Not allowed'),
  });
});
