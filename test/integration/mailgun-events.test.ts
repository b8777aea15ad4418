import { createHmac } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { MAILGUN_EVENTS_PATH, mailgunEvent, mailgunSignature, postToMailgunRoute } from '../support/mailgun-calls.js';
import { EventIntake } from '../support/event-intake.js';
import { rawRequest } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';

const REFUSED = { status: 401, body: { error: 'Invalid or missing signature' } };
const [KEY, NEXT_KEY] = ['old-signing-key', 'new-signing-key'];
const HOUR = 3_600;
const now = () => Math.floor(Date.now() / 1000);

let intake: EventIntake;
let service: TestService;

beforeAll(async () => {
  intake = await EventIntake.start({ MAILGUN_EVENT_SIGNING_KEY: `${KEY}, ${NEXT_KEY}` });
  service = intake.service;
});
beforeEach(() => intake.empty());
afterAll(() => intake?.stop());

const bodyOf = (event: unknown, signature: unknown = mailgunSignature(KEY)) =>
  JSON.stringify({ signature, 'event-data': event });
const post = (body: string | Buffer, contentType?: string) => postToMailgunRoute(service.address, body, contentType);

const stored = () => intake.stored();
const calls = (outcome: string) => intake.calls('mailgun', outcome);

describe('a signed call', () => {
  it('gets its response once its event is in the stream', async () => {
    const status = { code: 550, 'enhanced-code': '5.1.1', message: '5.1.1 No such user' };
    const event = mailgunEvent('failed', { severity: 'permanent', reason: 'bounce', 'delivery-status': status });
    expect(await post(bodyOf(event))).toEqual({ status: 200, body: { stored: 1, ignored: 0 } });
    expect(await stored()).toEqual([
      expect.objectContaining({
        ...{ type: 'recipient', fact: 'bounced', bounce: 'hard', recipient: event.recipient },
        ...{ smtpStatus: '5.1.1', reason: '5.1.1 No such user' },
      }),
    ]);
    expect(await post(bodyOf(mailgunEvent('opened')))).toEqual({ status: 200, body: { stored: 0, ignored: 1 } });
  });

  it('changes nothing when it is repeated, with the same signature or with a new one', async () => {
    const event = mailgunEvent('delivered');
    const body = bodyOf(event);
    for (const repeat of [body, body, bodyOf(event)]) expect((await post(repeat)).status).toBe(200);
    const [first, ...repeats] = await stored();
    expect(repeats).toEqual([first, first]);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['with either key of the setting', () => mailgunSignature(NEXT_KEY)],
    ['nearly as long ago as the last repeat', () => mailgunSignature(KEY, now() - 9 * HOUR + 60)],
    ['a little ahead', () => mailgunSignature(KEY, now() + 500)],
    ['with a timestamp that is a number', () => mailgunSignature(KEY, now())],
    [
      'by the primary account',
      () => {
        const { timestamp, token, signature } = mailgunSignature(KEY);
        const foreign = createHmac('sha256', 'of the subaccount').update('x').digest('hex');
        return { timestamp, token, signature: foreign, 'parent-signature': signature };
      },
    ],
  ])('may be signed %s', async (_, sign) => {
    expect((await post(bodyOf(mailgunEvent('delivered'), sign()))).status).toBe(200);
  });

  it('may contain anything in place of an event', async () => {
    for (const event of [
      undefined,
      null,
      7,
      [],
      {},
      { event: 'failed' },
      mailgunEvent('new'),
      mailgunEvent('delivered', { recipient: 5 }),
    ])
      expect(await post(bodyOf(event))).toEqual({ status: 200, body: { stored: 0, ignored: 1 } });
    expect(await stored()).toEqual([]);
  });

  it('may have up to 64 KB', async () => {
    const padded = (bytes: number) => {
      const body = bodyOf(mailgunEvent('delivered', { padding: '' }));
      return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`);
    };
    expect((await post(padded(64 * 1024))).status).toBe(200);
    expect((await post(padded(64 * 1024 + 1))).status).toBe(413);
  });
});

describe('a call that Mailgun did not sign', () => {
  const event = mailgunEvent('delivered');
  const signed = () => mailgunSignature(KEY);

  it.each<[string, string, () => unknown]>([
    ['without a signature', 'unsigned', () => undefined],
    ['with a list as signature', 'unsigned', () => [signed()]],
    ['without a timestamp', 'unsigned', () => ({ ...signed(), timestamp: '' })],
    ['with a timestamp of other shape', 'unsigned', () => mailgunSignature(KEY, '1.5e9')],
    ['with a token that is no text', 'unsigned', () => ({ ...signed(), token: 5 })],
    ['with a signature of other shape', 'unsigned', () => ({ ...signed(), signature: 'abc' })],
    ['older than 9 hours', 'stale', () => mailgunSignature(KEY, now() - 9 * HOUR - 5)],
    ['more than 10 minutes ahead', 'stale', () => mailgunSignature(KEY, now() + 605)],
    ['with the timestamp of another call', 'wrong-signature', () => ({ ...signed(), timestamp: String(now() - 7) })],
    ['with the token of another call', 'wrong-signature', () => ({ ...signed(), token: signed().token })],
    ['by a foreign key', 'wrong-signature', () => mailgunSignature('foreign')],
  ])('is refused and counted: %s', async (_, outcome, sign) => {
    const before = await calls(outcome);
    expect(await post(bodyOf(event, sign() ?? null))).toEqual(REFUSED);
    expect(await stored()).toEqual([]);
    expect(await calls(outcome)).toBe(before + 1);
  });

  it.each(['', '{}', 'null', '[', '"x"', '\xff', '['.repeat(60_000), `[${'0,'.repeat(30_000)}0]`])(
    'is refused whatever its body is (%#)',
    async (body) => {
      expect(await post(body)).toEqual(REFUSED);
    },
  );

  it('is refused without being parsed if it has too many values, even with a valid signature', async () => {
    const many = mailgunEvent('delivered', { tags: Array.from({ length: 5_000 }, () => 1) });
    expect(await post(bodyOf(many))).toEqual(REFUSED);
  });

  it('must be JSON: a form has another format', async () => {
    expect((await post('signature=x', 'application/x-www-form-urlencoded')).status).toBe(415);
  });

  it('is not accepted with an API key either', async () => {
    const client = await service.organization();
    expect(await client.post(MAILGUN_EVENTS_PATH, {})).toMatchObject(REFUSED);
  });
});

it('the route does not exist without the setting, and reads no body', async () => {
  await intake.besideOneWithout(async (other) => {
    const lines = [
      `POST ${MAILGUN_EVENTS_PATH} HTTP/1.1`,
      'host: x',
      'connection: close',
      'content-length: 9000',
      '',
      '[',
    ];
    const response = await rawRequest(other.settings.PORT, lines.join('\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"Not found"\}$/);
  });
});

it('a call gets 503 when neither Redis nor the disk accepts its event, so that Mailgun repeats it', async () => {
  const body = bodyOf(mailgunEvent('delivered'));
  const makeRoom = await intake.fillUp();
  await eventually(async () => (await post(body)).status === 503, 20_000);
  expect(await calls('lost')).toBeGreaterThan(0);
  await makeRoom();
  await eventually(async () => (await post(body)).status === 200);
  await eventually(async () => (await stored()).length > 0);
});
