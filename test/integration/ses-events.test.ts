import { EventIntake } from '../support/event-intake.js';
import { rawRequest } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';
import {
  CERTIFICATE_URL,
  postToSesRoute,
  sesDelivery,
  SES_EVENTS_PATH,
  SnsSigner,
  SnsStub,
  SUBSCRIBE_URL,
  TOPIC,
} from '../support/sns-calls.js';

const REFUSED = { status: 401, body: { error: 'Invalid or missing signature' } };
const OTHER_TOPIC = `${TOPIC}-2`;
const HOUR = 3_600_000;
const ago = (ms: number) => ({ Timestamp: new Date(Date.now() - ms).toISOString() });

let intake: EventIntake;
let sns: SnsStub;
let signer: SnsSigner;
let foreign: SnsSigner;
let service: TestService;

beforeAll(async () => {
  [signer, foreign] = await Promise.all([SnsSigner.create(), SnsSigner.create()]);
  sns = new SnsStub();
  intake = await EventIntake.start({ SES_EVENT_TOPICS: `${TOPIC}, ${OTHER_TOPIC}` });
  service = intake.service;
});
beforeEach(async () => {
  await intake.empty();
  sns.fetched.length = 0;
  sns.respond = (url) =>
    url === CERTIFICATE_URL ? new Response(signer.certificate) : new Response('', { status: 404 });
});
afterAll(async () => {
  sns?.restore();
  await intake?.stop();
});

const post = (message: unknown, contentType?: string) => postToSesRoute(service.address, message, contentType);

const stored = () => intake.stored();
const calls = (outcome: string) => intake.calls('ses', outcome);

describe('a message that SNS signed', () => {
  it('gets its response once its events are in the stream; calls at the same time fetch the certificate once', async () => {
    const messages = [1, 2, 3].map(() => signer.message(sesDelivery(2)));
    const responses = await Promise.all(messages.map((message) => post(message)));
    expect(responses).toEqual(messages.map(() => ({ status: 200, body: { stored: 2, ignored: 0 } })));
    const events = await stored();
    expect(new Set(events.map(({ id }) => id)).size).toBe(6);
    expect(events[0]).toMatchObject({ type: 'recipient', fact: 'delivered' });
    expect(sns.fetched).toEqual([CERTIFICATE_URL]);
  });

  it('changes nothing when it is repeated', async () => {
    const message = signer.message(sesDelivery());
    for (const repeat of [message, message]) expect((await post(repeat)).status).toBe(200);
    const [first, ...repeats] = await stored();
    expect(repeats).toEqual([first]);
  });

  it.each([
    ['with version 2', { SignatureVersion: '2' }],
    ['with a subject', { Subject: 'Amazon SES Email Event Notification' }],
    ['for another listed topic', { TopicArn: OTHER_TOPIC }],
    ['almost a day ago', ago(23 * HOUR)],
  ])('may be signed %s', async (_, more) => {
    expect((await post(signer.message(sesDelivery(), more as Record<string, string>))).status).toBe(200);
  });

  it('may contain anything in place of an event', async () => {
    const many = { ...sesDelivery(), padding: Array.from({ length: 25_000 }, () => 1) };
    for (const content of ['Successfully validated SNS topic for Amazon SES event publishing.', '[', '7', {}, many])
      expect(await post(signer.message(content))).toEqual({ status: 200, body: { stored: 0, ignored: 1 } });
    expect(await stored()).toEqual([]);
  });
});

describe('a subscription', () => {
  it('of a listed topic is confirmed at SNS', async () => {
    const message = signer.message('You have chosen to subscribe', { Type: 'SubscriptionConfirmation' });
    sns.respond = (url) => new Response(url === CERTIFICATE_URL ? signer.certificate : '<ok/>');
    expect((await post(message)).status).toBe(200);
    expect(sns.fetched).toContain(SUBSCRIBE_URL);
  });

  it('that SNS does not confirm is 503, so that SNS repeats it', async () => {
    expect((await post(signer.message('x', { Type: 'SubscriptionConfirmation' }))).status).toBe(503);
  });

  it('is never confirmed at another address', async () => {
    const more = { Type: 'SubscriptionConfirmation', SubscribeURL: 'https://amazonaws.com.evil.example/' };
    expect((await post(signer.message('x', more))).status).toBe(503);
    expect(sns.fetched.filter((url) => url.includes('evil'))).toEqual([]);
  });

  it('that ends is not made again', async () => {
    expect((await post(signer.message('x', { Type: 'UnsubscribeConfirmation' }))).status).toBe(200);
    expect(sns.fetched).not.toContain(SUBSCRIBE_URL);
  });
});

describe('a message that is refused', () => {
  it.each<[string, string, () => unknown]>([
    ['without a signature', 'unsigned', () => ({ ...signer.message(sesDelivery()), Signature: undefined })],
    [
      'with a certificate of another host',
      'unsigned',
      () => foreign.message(sesDelivery(), { SigningCertURL: 'https://amazonaws.com.evil.example/a.pem' }),
    ],
    ['with many values', 'unsigned', () => ({ ...signer.message('x'), more: Array.from({ length: 600 }, () => 1) })],
    [
      'for a topic that is not listed',
      'wrong-signature',
      () =>
        signer.message(sesDelivery(), { TopicArn: `${TOPIC}-9`, SigningCertURL: CERTIFICATE_URL.replace('0', '9') }),
    ],
    ['older than a day', 'stale', () => signer.message(sesDelivery(), ago(24 * HOUR + 5_000))],
    ['more than 10 minutes ahead', 'stale', () => signer.message(sesDelivery(), ago(-605_000))],
  ])('is counted and makes us fetch nothing: %s', async (_, outcome, message) => {
    const before = await calls(outcome);
    expect(await post(message())).toEqual(REFUSED);
    expect(await calls(outcome)).toBe(before + 1);
    expect(await stored()).toEqual([]);
    expect(sns.fetched).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['signed by a foreign key', () => foreign.message(sesDelivery())],
    ['changed', () => ({ ...signer.message(sesDelivery()), Message: JSON.stringify(sesDelivery()) })],
    ['changed to another type', () => ({ ...signer.message('x'), ...{ Type: 'UnsubscribeConfirmation' } })],
  ])('has a wrong signature: %s', async (_, message) => {
    expect(await post(message())).toEqual(REFUSED);
    expect(await stored()).toEqual([]);
  });

  it.each(['', '{}', 'null', '[', '"x"', '['.repeat(60_000)])('may have any body (%#)', async (body) => {
    expect(await post(body)).toEqual(REFUSED);
  });

  it('is larger than 256 KB, or no text', async () => {
    expect((await post('x'.repeat(256 * 1024 + 1))).status).toBe(413);
    expect((await post('x=1', 'application/x-www-form-urlencoded')).status).toBe(415);
  });
});

it('a certificate that cannot be fetched is 503, and not tried for every call', async () => {
  const url = CERTIFICATE_URL.replace('0123', '4567');
  const before = await calls('no-certificate');
  const message = signer.message(sesDelivery(), { SigningCertURL: url });
  for (let call = 0; call < 3; call++) expect((await post(message)).status).toBe(503);
  expect(sns.fetched).toEqual([url]);
  expect(await calls('no-certificate')).toBe(before + 3);
});

it('the route does not exist without the setting, and reads no body', async () => {
  await intake.besideOneWithout(async (other) => {
    const lines = [`POST ${SES_EVENTS_PATH} HTTP/1.1`, 'host: x', 'connection: close', 'content-length: 9000', '', '['];
    const response = await rawRequest(other.settings.PORT, lines.join('\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"Not found"\}$/);
  });
});
