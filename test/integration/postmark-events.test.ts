import { eventually } from '../support/eventually.js';
import { basic, POSTMARK_EVENTS_PATH, postmarkEvent, postToPostmarkRoute } from '../support/postmark-calls.js';
import { EventIntake } from '../support/event-intake.js';
import { rawRequest } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';

const REFUSED = { status: 401, body: { error: 'Invalid or missing user and password' } };
const [CREDENTIALS, NEXT_CREDENTIALS] = ['postmark:old:secret', 'postmark:new-secret'];

let intake: EventIntake;
let service: TestService;

beforeAll(async () => {
  intake = await EventIntake.start({ POSTMARK_EVENT_CREDENTIALS: `${CREDENTIALS}, ${NEXT_CREDENTIALS}` });
  service = intake.service;
});
beforeEach(() => intake.empty());
afterAll(() => intake?.stop());

const post = (body: string | Buffer, authorization: string | undefined = basic(CREDENTIALS)) =>
  postToPostmarkRoute(service.address, body, authorization);
const postEvent = (event: unknown) => post(JSON.stringify(event));

const stored = () => intake.stored();
const calls = (outcome: string) => intake.calls('postmark', outcome);

describe('a call with our user and password', () => {
  it('gets its response once its event is in the stream', async () => {
    const event = postmarkEvent('Bounce', { Type: 'HardBounce', Details: 'smtp;550 5.1.1 No such user' });
    expect(await postEvent(event)).toMatchObject({ status: 200, body: { stored: 1, ignored: 0 } });
    expect(await stored()).toEqual([
      expect.objectContaining({
        ...{ type: 'recipient', fact: 'bounced', bounce: 'hard', recipient: event.Email },
        ...{ smtpStatus: '5.1.1', reason: '550 5.1.1 No such user' },
      }),
    ]);
    expect(await postEvent(postmarkEvent('Open'))).toMatchObject({ status: 200, body: { stored: 0, ignored: 1 } });
  });

  it('changes nothing when it is repeated', async () => {
    const body = JSON.stringify(postmarkEvent('Delivery'));
    for (const repeat of [body, body, body]) expect((await post(repeat)).status).toBe(200);
    const [first, ...repeats] = await stored();
    expect(repeats).toEqual([first, first]);
  });

  it.each([basic(NEXT_CREDENTIALS), basic(CREDENTIALS).replace('Basic', 'basic ')])(
    'may have either pair of the setting, and any case of the scheme (%#)',
    async (authorization) => {
      expect((await post(JSON.stringify(postmarkEvent('Delivery')), authorization)).status).toBe(200);
    },
  );

  it('may contain anything in place of an event: a test of Postmark must get 200', async () => {
    const events = [
      null,
      7,
      [],
      {},
      { RecordType: 'Bounce' },
      postmarkEvent('New'),
      postmarkEvent('Delivery', { Metadata: {} }),
    ];
    const bodies = [...events.map((event) => JSON.stringify(event)), '{', '\xff'];
    for (const body of bodies) expect(await post(body)).toMatchObject({ status: 200, body: { stored: 0, ignored: 1 } });
    expect(await stored()).toEqual([]);
  });

  it('may have up to 20,000 values', async () => {
    const withValues = (values: number) => JSON.stringify(postmarkEvent('Delivery', { more: Array(values).fill(0) }));
    expect((await post(withValues(19_000))).status).toBe(200);
    expect((await post(withValues(20_000))).status).toBe(413);
  });

  it('may have up to 1 MB, for bounces with the returned message', async () => {
    const padded = (bytes: number) => {
      const body = JSON.stringify(postmarkEvent('Bounce', { Type: 'Blocked', Content: '' }));
      return body.replace('"Content":""', `"Content":"${'x'.repeat(bytes - body.length)}"`);
    };
    expect((await post(padded(1024 * 1024))).status).toBe(200);
    expect((await post(padded(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('a call with another user or password', () => {
  it.each<[string, string | undefined]>([
    ['unsigned', undefined],
    ['unsigned', 'Bearer abc'],
    ['unsigned', 'Basic'],
    ['unsigned', 'Basic a:b'],
    ['wrong-signature', basic('postmark:foreign')],
    ['wrong-signature', basic('stranger:old:secret')],
    ['wrong-signature', basic('postmark:old')],
    ['wrong-signature', basic(`${CREDENTIALS},${NEXT_CREDENTIALS}`)],
    ['wrong-signature', basic(`${CREDENTIALS}x`)],
  ])('is refused and counted as %s: %s', async (outcome, authorization) => {
    const before = await calls(outcome);
    const body = JSON.stringify(postmarkEvent('Delivery'));
    const refusal = await postToPostmarkRoute(service.address, body, authorization);
    expect(refusal).toEqual({ ...REFUSED, challenge: expect.stringMatching(/^Basic realm=/) });
    expect(await stored()).toEqual([]);
    expect(await calls(outcome)).toBe(before + 1);
  });

  it('is refused before its body is read', async () => {
    const response = await rawRequest(service.settings.PORT, requestWithoutBody(`authorization: ${basic('a:b')}`));
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is not accepted with an API key either', async () => {
    const client = await service.organization();
    expect(await client.post(POSTMARK_EVENTS_PATH, {})).toMatchObject(REFUSED);
  });
});

it('the route does not exist without the setting, and reads no body', async () => {
  await intake.besideOneWithout(async (other) => {
    const response = await rawRequest(other.settings.PORT, requestWithoutBody(`authorization: ${basic(CREDENTIALS)}`));
    expect(response).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"Not found"\}$/);
  });
});

it('a call gets 503 when neither Redis nor the disk accepts its event, so that Postmark repeats it', async () => {
  const body = JSON.stringify(postmarkEvent('Delivery'));
  const makeRoom = await intake.fillUp();
  await eventually(async () => (await post(body)).status === 503, 20_000);
  expect(await calls('lost')).toBeGreaterThan(0);
  await makeRoom();
  await eventually(async () => (await post(body)).status === 200);
  await eventually(async () => (await stored()).length > 0);
});

function requestWithoutBody(header: string): string {
  const lines = [`POST ${POSTMARK_EVENTS_PATH} HTTP/1.1`, 'host: x', 'connection: close', header];
  return [...lines, 'content-type: application/json', 'content-length: 9000', '', '['].join('\r\n');
}
