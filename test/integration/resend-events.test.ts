import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { EventIntake } from '../support/event-intake.js';
import { rawRequest } from '../support/raw-http.js';
import {
  postToResendRoute,
  RESEND_EVENTS_PATH,
  resendEvent,
  resendHeaders,
  type SigningOptions,
} from '../support/resend-calls.js';
import type { TestService } from '../support/service.js';

const REFUSED = { status: 401, body: { error: 'Invalid or missing signature' } };
const secretOf = (word: string) => `whsec_${Buffer.from(word.padEnd(24, '.')).toString('base64')}`;
const [SECRET, NEXT_SECRET] = [secretOf('old'), secretOf('new')];
const now = () => Math.floor(Date.now() / 1000);

let intake: EventIntake;
let service: TestService;

beforeAll(async () => {
  intake = await EventIntake.start({ RESEND_EVENT_SECRET: `${SECRET}, ${NEXT_SECRET}` });
  service = intake.service;
});
beforeEach(() => intake.empty());
afterAll(() => intake?.stop());

const post = (body: string | Buffer, headers = resendHeaders(SECRET, body)) =>
  postToResendRoute(service.address, body, headers);
const postEvent = (event: unknown, options?: SigningOptions) => {
  const body = JSON.stringify(event);
  return post(body, resendHeaders(SECRET, body, options));
};

const stored = () => intake.stored();
const calls = (outcome: string) => intake.calls('resend', outcome);

describe('a signed call', () => {
  it('gets its response once its event is in the stream', async () => {
    const bounce = { type: 'Permanent', subType: 'General', message: 'No such user' };
    const event = resendEvent('email.bounced', { to: ['Reader <reader@example.com>'], bounce });
    expect(await postEvent(event)).toEqual({ status: 200, body: { stored: 1, ignored: 0 } });
    expect(await stored()).toEqual([
      expect.objectContaining({
        ...{ type: 'recipient', fact: 'bounced', bounce: 'hard', recipient: 'reader@example.com' },
        reason: 'No such user',
      }),
    ]);
    expect(await postEvent(resendEvent('email.opened'))).toEqual({ status: 200, body: { stored: 0, ignored: 1 } });
  });

  it('changes nothing when it is repeated with a new time and signature', async () => {
    const event = resendEvent('email.delivered');
    for (const timestamp of [now() - 200, now(), now() + 100])
      expect((await postEvent(event, { id: 'msg_repeated', timestamp })).status).toBe(200);
    const [first, ...repeats] = await stored();
    expect(repeats).toEqual([first, first]);
  });

  it.each<[string, (body: string) => Record<string, string>]>([
    ['with either secret of the setting', (body) => resendHeaders(NEXT_SECRET, body)],
    ['almost 5 minutes ago', (body) => resendHeaders(SECRET, body, { timestamp: now() - 295 })],
    ['almost 5 minutes ahead', (body) => resendHeaders(SECRET, body, { timestamp: now() + 290 })],
    ['in headers of Standard Webhooks', (body) => resendHeaders(SECRET, body, { prefix: 'webhook' })],
    [
      'several times, with other versions of signatures',
      (body) => {
        const { 'svix-signature': right, ...headers } = resendHeaders(SECRET, body);
        const { 'svix-signature': wrong } = resendHeaders(secretOf('foreign'), body);
        return { ...headers, 'svix-signature': `v1a,abc ${wrong} ${right} v2,x` };
      },
    ],
    [
      'by the library of Standard Webhooks',
      (body) => {
        const signature = new Webhook(SECRET).sign('msg_1', new Date(), body);
        const headers = { 'svix-id': 'msg_1', 'svix-timestamp': String(now()), 'svix-signature': signature };
        return { 'content-type': 'application/json', ...headers };
      },
    ],
  ])('may be signed %s', async (_, sign) => {
    const body = JSON.stringify(resendEvent('email.delivered'));
    expect((await post(body, sign(body))).status).toBe(200);
  });

  it('may contain anything in place of an event', async () => {
    for (const event of [
      {},
      { type: 5 },
      { type: 'contact.created', data: [] },
      resendEvent('email.bounced', { to: 5 }),
    ])
      expect(await postEvent(event)).toEqual({ status: 200, body: { stored: 0, ignored: 1 } });
    for (const body of ['', 'null', '[]', '[', '"x"', '\xff', '['.repeat(19_000)])
      expect((await post(body)).status).toBe(400);
    expect(await stored()).toEqual([]);
  });

  it('may have up to 1 MB', async () => {
    const padded = (bytes: number) => {
      const body = JSON.stringify(resendEvent('email.delivered', { padding: '' }));
      return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`);
    };
    expect((await post(padded(1024 * 1024))).status).toBe(200);
    expect((await post(padded(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('a call that Resend did not sign', () => {
  const body = JSON.stringify(resendEvent('email.delivered'));
  const signed = (options?: SigningOptions) => resendHeaders(SECRET, body, options);
  const without = (name: string) => Object.fromEntries(Object.entries(signed()).filter(([key]) => key !== name));

  it.each<[string, string, () => Record<string, string>]>([
    ['without an ID', 'unsigned', () => without('svix-id')],
    ['without a timestamp', 'unsigned', () => without('svix-timestamp')],
    ['without a signature', 'unsigned', () => without('svix-signature')],
    ['with a timestamp of other shape', 'unsigned', () => signed({ timestamp: '1.5e9' })],
    ['with a signature of other shape', 'unsigned', () => ({ ...signed(), 'svix-signature': 'v1,abc' })],
    ['with an unknown version', 'unsigned', () => ({ ...signed(), 'svix-signature': `v2,${'A'.repeat(43)}=` })],
    [
      'with too many signatures',
      'unsigned',
      () => ({ ...signed(), 'svix-signature': `v1,${'A'.repeat(43)}= `.repeat(11) }),
    ],
    ['older than 5 minutes', 'stale', () => signed({ timestamp: now() - 305 })],
    ['more than 5 minutes ahead', 'stale', () => signed({ timestamp: now() + 310 })],
    [
      'with the timestamp of another call',
      'wrong-signature',
      () => ({ ...signed(), 'svix-timestamp': String(now() - 7) }),
    ],
    ['with the ID of another call', 'wrong-signature', () => ({ ...signed(), 'svix-id': 'msg_other' })],
    ['with the body of another call', 'wrong-signature', () => resendHeaders(SECRET, `${body} `)],
    ['by a foreign secret', 'wrong-signature', () => resendHeaders(secretOf('foreign'), body)],
  ])('is refused and counted: %s', async (_, outcome, sign) => {
    const before = await calls(outcome);
    expect(await post(body, sign())).toEqual(REFUSED);
    expect(await stored()).toEqual([]);
    expect(await calls(outcome)).toBe(before + 1);
  });

  it('is refused by its headers before its body is read', async () => {
    const lines = [
      `POST ${RESEND_EVENTS_PATH} HTTP/1.1`,
      'host: x',
      'connection: close',
      'content-length: 9000',
      '',
      '[',
    ];
    const response = await rawRequest(service.settings.PORT, lines.join('\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is not accepted with an API key either', async () => {
    const client = await service.organization();
    expect(await client.post(RESEND_EVENTS_PATH, {})).toMatchObject(REFUSED);
  });
});

it('the route does not exist without the setting', async () => {
  await intake.besideOneWithout(async (other) => {
    const body = JSON.stringify(resendEvent('email.delivered'));
    const response = await postToResendRoute(other.address, body, resendHeaders(SECRET, body));
    expect(response).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });
});

it('a call gets 503 when neither Redis nor the disk accepts its event, so that Resend repeats it', async () => {
  const event = resendEvent('email.delivered');
  const makeRoom = await intake.fillUp();
  await eventually(async () => (await postEvent(event)).status === 503, 20_000);
  expect(await calls('lost')).toBeGreaterThan(0);
  await makeRoom();
  await eventually(async () => (await postEvent(event)).status === 200);
  await eventually(async () => (await stored()).length > 0);
});
