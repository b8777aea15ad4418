import { eventually } from '../support/eventually.js';
import { EventIntake } from '../support/event-intake.js';
import { rawRequest } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';
import {
  EventWebhookKey,
  postToSendGridRoute,
  SENDGRID_EVENTS_PATH,
  sendGridEvent as event,
} from '../support/sendgrid-calls.js';
import { sumOfMetric } from '../support/sum-of-metric.js';

const MEGABYTE = 1024 * 1024;
const REFUSED = { status: 401, body: { error: 'Invalid or missing signature' } };

const [key, nextKey, foreignKey] = [new EventWebhookKey(), new EventWebhookKey(), new EventWebhookKey()];
let intake: EventIntake;
let service: TestService;

beforeAll(async () => {
  intake = await EventIntake.start({ SENDGRID_EVENT_PUBLIC_KEY: `${key.publicKey}, ${nextKey.pem}` });
  service = intake.service;
});
beforeEach(() => intake.empty());
afterAll(() => intake?.stop());

const call = (body: string | Buffer, headers = key.sign(body)) => postToSendGridRoute(service.address, body, headers);

const stored = () => intake.stored();

const counted = (metric: string, labels: Record<string, string>) => sumOfMetric(service.metrics, metric, labels);

const calls = (outcome: string) => counted('mailbeacon_provider_event_calls_total', { outcome });

describe('a signed call', () => {
  it('gets its response once all its events are in the stream', async () => {
    const events = [
      event('delivered', { response: '250 2.0.0 OK' }),
      event('bounce', { type: 'bounce', status: '5.1.1', reason: '550 5.1.1 No such user' }),
      event('dropped', { reason: 'Spam Reporting Address' }),
      event('processed'),
      event('open'),
    ];
    expect(await call(JSON.stringify(events))).toEqual({ status: 200, body: { stored: 3, ignored: 2 } });
    expect(await stored()).toEqual([
      expect.objectContaining({
        ...{ type: 'recipient', fact: 'delivered', recipient: events[0]!.email, email: events[0]!.mailbeacon_email_id },
        ...{ smtpStatus: '2.0.0', reason: '250 2.0.0 OK' },
      }),
      expect.objectContaining({
        fact: 'bounced',
        bounce: 'hard',
        smtpStatus: '5.1.1',
        reason: '550 5.1.1 No such user',
      }),
      expect.objectContaining({ fact: 'suppressed', suppression: 'complaint' }),
    ]);
  });

  it('that repeats events gives them the same IDs, so nothing changes', async () => {
    const body = JSON.stringify([event('delivered'), event('spamreport', { sg_event_id: undefined })]);
    await call(body);
    await call(body);
    const [first, second, ...repeats] = await stored();
    expect(repeats).toEqual([first, second]);
  });

  it('may contain anything: one bad event never affects its batch', async () => {
    const bad = [null, 7, 'x', [], [event('bounce')], {}, event('new'), event('bounce', { email: 5 }), { event: null }];
    const good = event('bounce', { type: ['bounce'], status: 511, reason: { a: 1 }, timestamp: '?' });
    const [before, beforeOther] = [
      await counted('mailbeacon_provider_events_total', { result: 'malformed' }),
      await counted('mailbeacon_provider_events_total', { type: 'other' }),
    ];
    expect(await call(JSON.stringify([...bad, good]))).toEqual({
      status: 200,
      body: { stored: 1, ignored: bad.length },
    });
    expect(await stored()).toEqual([expect.objectContaining({ fact: 'bounced', recipient: good.email })]);
    expect(await counted('mailbeacon_provider_events_total', { result: 'malformed' })).toBe(before + 8);
    expect(await counted('mailbeacon_provider_events_total', { type: 'other' })).toBe(beforeOther + 8);
  });

  it('may be signed with any key of the setting, DER or PEM', async () => {
    const body = JSON.stringify([event('delivered')]);
    expect((await call(body, nextKey.sign(body))).status).toBe(200);
  });

  it('may be as old as a repetition by SendGrid', async () => {
    const body = JSON.stringify([event('delivered')]);
    expect((await call(body, key.sign(body, now() - DAY + 60))).status).toBe(200);
    expect((await call(body, key.sign(body, now() + 500))).status).toBe(200);
  });

  it('may have up to 10,000 events and 10 MB', async () => {
    const [first] = [event('delivered')];
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ ...first, event: 'open' })));
    expect(await call(many(10_000))).toEqual({ status: 200, body: { stored: 0, ignored: 10_000 } });
    expect(await call(many(10_001))).toEqual({
      status: 413,
      body: { error: 'The body has too many events: at most 10000' },
    });
    const large = JSON.stringify([{ ...first, padding: '' }]);
    const padded = (bytes: number) => large.replace('"padding":""', `"padding":"${'x'.repeat(bytes - large.length)}"`);
    expect((await call(padded(10 * MEGABYTE))).status).toBe(200);
    expect((await call(padded(10 * MEGABYTE + 1))).status).toBe(413);
  });

  it.each(['', '{}', 'null', '[', '"x"', '[1,]', '\xff'])('whose body is %j is 400', async (body) => {
    expect(await call(body)).toEqual({ status: 400, body: { error: 'The body must be a JSON array of events' } });
  });
});

const DAY = 86_400;
const now = () => Math.floor(Date.now() / 1000);
const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';

describe('a call that SendGrid did not sign', () => {
  const body = JSON.stringify([event('delivered')]);
  const signed = () => key.sign(body);

  it.each<[string, string, () => Record<string, string>]>([
    ['without headers', 'unsigned', () => ({ 'content-type': 'application/json' })],
    ['without a timestamp', 'unsigned', () => ({ ...signed(), [TIMESTAMP]: '' })],
    ['without a signature', 'unsigned', () => ({ ...signed(), [SIGNATURE]: '' })],
    ['with a signature of other shape', 'unsigned', () => ({ ...signed(), [SIGNATURE]: 'AAAAAAAAAAAAAAAAAAAA' })],
    ['with a timestamp of other shape', 'unsigned', () => ({ ...signed(), [TIMESTAMP]: '1.5e9' })],
    ['older than 24 hours', 'stale', () => key.sign(body, now() - DAY - 5)],
    ['more than 10 minutes ahead', 'stale', () => key.sign(body, now() + 605)],
    ['with the timestamp of another call', 'wrong-signature', () => ({ ...signed(), [TIMESTAMP]: String(now() - 7) })],
    ['by a foreign key', 'wrong-signature', () => foreignKey.sign(body)],
    ['for another body', 'wrong-signature', () => key.sign(`${body} `)],
  ])('is refused and counted: %s', async (_name, outcome, headers) => {
    const before = await calls(outcome);
    expect(await call(body, headers())).toEqual(REFUSED);
    expect(await stored()).toEqual([]);
    expect(await calls(outcome)).toBe(before + 1);
  });

  it.each([
    ['no signature', {}],
    ['an old signature', key.sign('[', now() - DAY - 60)],
  ])('is refused before its body is read: %s', async (_name, headers) => {
    const lines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const head = [`POST ${SENDGRID_EVENTS_PATH} HTTP/1.1`, ...lines, 'content-length: 9000000', '', '['].join('\r\n');
    expect(await rawRequest(service.settings.PORT, head)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is not accepted with an API key either', async () => {
    const client = await service.organization();
    expect(await client.post(SENDGRID_EVENTS_PATH, [])).toMatchObject(REFUSED);
  });

  it('gets no hint whether its body would parse', async () => {
    expect(await call('[', foreignKey.sign('['))).toEqual(REFUSED);
  });
});

it('the route does not exist without the setting', async () => {
  await intake.besideOneWithout(async (other) => {
    const head = [
      `POST ${SENDGRID_EVENTS_PATH} HTTP/1.1`,
      'host: x',
      'connection: close',
      'content-length: 9000000',
      '',
      '[',
    ];
    const response = await rawRequest(other.settings.PORT, head.join('\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"Not found"\}$/);
  });
});

it('a call gets 503 when neither Redis nor the disk accepts an event, so that SendGrid repeats it', async () => {
  const body = JSON.stringify([event('delivered'), event('open')]);
  const makeRoom = await intake.fillUp();
  await eventually(async () => {
    const { status } = await call(body);
    return status === 503;
  }, 20_000);
  expect(await calls('lost')).toBeGreaterThan(0);
  expect((await call(body)).body.error).toBe('Not every event could be stored: please send all of them again');
  await makeRoom();
  await eventually(async () => (await call(body)).status === 200);
  await eventually(async () => (await stored()).length > 0);
});
