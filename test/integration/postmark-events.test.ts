import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { RecipientEvent } from '../../src/events/recipient-event.js';
import { decodeEntry } from '../../src/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM } from '../../src/events/stream/stream-keys.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { basic, POSTMARK_EVENTS_PATH, postmarkEvent, postToPostmarkRoute } from '../support/postmark-calls.js';
import { PrivateRedis } from '../support/private-redis.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService } from '../support/service.js';

const SPOOL_LIMIT = 10_000_000;
const REFUSED = { status: 401, body: { error: 'Invalid or missing user and password' } };
const [CREDENTIALS, NEXT_CREDENTIALS] = ['postmark:old:secret', 'postmark:new-secret'];

let server: PrivateRedis;
let redis: Redis;
/** Runs only the API, so its events stay in the stream. */
let service: TestService;

beforeAll(async () => {
  server = await PrivateRedis.start();
  redis = connectForBlocking(server.url);
  service = await TestService.start({
    environment: {
      ROLES: 'api',
      REDIS_URL: server.url,
      SPOOL_MAX_BYTES: String(SPOOL_LIMIT),
      POSTMARK_EVENT_CREDENTIALS: `${CREDENTIALS}, ${NEXT_CREDENTIALS}`,
    },
  });
});
beforeEach(() => redis.del(EVENT_STREAM));
afterAll(async () => {
  await service?.stop();
  redis?.disconnect();
  await server?.remove();
});

const post = (body: string | Buffer, authorization: string | undefined = basic(CREDENTIALS)) =>
  postToPostmarkRoute(service.address, body, authorization);
const postEvent = (event: unknown) => post(JSON.stringify(event));

async function stored(): Promise<RecipientEvent[]> {
  const entries = await redis.xrangeBuffer(EVENT_STREAM, '-', '+');
  return entries.flatMap(([, fields]) => {
    const payload = fields[fields.findIndex((field) => field.toString() === ENTRY_FIELD) + 1]!;
    return decodeEntry(payload).events as unknown as RecipientEvent[];
  });
}

async function calls(outcome: string): Promise<number> {
  const { values } = await service.metrics.getSingleMetric('mailbeacon_provider_event_calls_total')!.get();
  return values.find(({ labels }) => labels['provider'] === 'postmark' && labels['outcome'] === outcome)!.value;
}

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
  const other = await TestService.start({ beside: service, environment: { ROLES: 'api', REDIS_URL: server.url } });
  try {
    const response = await rawRequest(other.settings.PORT, requestWithoutBody(`authorization: ${basic(CREDENTIALS)}`));
    expect(response).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"Not found"\}$/);
  } finally {
    await other.stop();
  }
});

it('a call gets 503 when neither Redis nor the disk accepts its event, so that Postmark repeats it', async () => {
  const body = JSON.stringify(postmarkEvent('Delivery'));
  await server.command('CONFIG', 'SET', 'maxmemory', '1');
  const filler = join(service.settings.SPOOL_DIRECTORY, 'of-another-process.damaged');
  await writeFile(filler, '');
  await truncate(filler, SPOOL_LIMIT);
  await eventually(async () => (await post(body)).status === 503, 20_000);
  expect(await calls('lost')).toBeGreaterThan(0);
  await rm(filler);
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
  await eventually(async () => (await post(body)).status === 200);
  await eventually(async () => (await stored()).length > 0);
});

function requestWithoutBody(header: string): string {
  const lines = [`POST ${POSTMARK_EVENTS_PATH} HTTP/1.1`, 'host: x', 'connection: close', header];
  return [...lines, 'content-type: application/json', 'content-length: 9000', '', '['].join('\r\n');
}
