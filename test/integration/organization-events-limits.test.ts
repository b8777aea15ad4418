import { Redis } from 'ioredis';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { bucketKey } from '../../src/platform/redis/token-buckets.js';
import { eventually } from '../support/eventually.js';
import { addReportingProvider, report, reportingProviders, settingsOf } from '../support/reporting-providers.js';
import { TestService } from '../support/service.js';
import { EventWebhookKey, sendGridEvent } from '../support/sendgrid-calls.js';
import { CERTIFICATE_URL, SnsSigner, SnsStub } from '../support/sns-calls.js';

/** Of one call. */
const MOST_EVENTS = 10_000;
const PER_MINUTE = 100_000;
const MINUTE_MS = 60_000;
const LARGEST_BODY = 10 * 1024 * 1024;

const serviceKey = new EventWebhookKey();
let sns: SnsStub;
let service: TestService;
let accounts: ReturnType<typeof reportingProviders>;

beforeAll(async () => {
  const signer = await SnsSigner.create();
  sns = new SnsStub();
  sns.respond = (url) => new Response(url === CERTIFICATE_URL ? signer.certificate : '', { status: 200 });
  accounts = reportingProviders('own', signer);
  const settings = { ...settingsOf(accounts), SENDGRID_EVENT_PUBLIC_KEY: serviceKey.publicKey };
  service = await TestService.start({ environment: { ROLES: 'api', ...settings } });
});
afterAll(async () => {
  sns?.restore();
  await service?.stop();
});

interface Caller {
  /** Posts the body, or a list of events, with a valid signature. */
  post(body: string | readonly unknown[]): ReturnType<typeof report>;
}

const callerOf = (to: string, key: EventWebhookKey): Caller => ({
  post: (given) => {
    const body = typeof given === 'string' ? given : JSON.stringify(given);
    return report(service, to, { body, headers: key.sign(body) });
  },
});

async function owner(): Promise<Caller & { readonly id: string; readonly organizationId: string }> {
  const [{ organizationId }, key] = [await service.organization(), new EventWebhookKey()];
  const id = await addReportingProvider(service, organizationId, 'sendgrid', key.publicKey);
  return { id, organizationId, ...callerOf(id, key) };
}

/** Calls until one is refused. @returns how many were not */
async function callsUntilRefused({ post }: Caller, body: string | readonly unknown[]): Promise<number> {
  for (let calls = 0; calls < 200; calls++) {
    const { status, retryAfter } = await post(body);
    if (status === 200) continue;
    expect({ status, waits: Number(retryAfter) > 0 }).toEqual({ status: 429, waits: true });
    return calls;
  }
  throw new Error('No call was refused');
}

const bucketOf = (organizationId: string) => bucketKey(`provider-events:${organizationId}`);

/** So many events until the next call, which is refused if there are none. */
async function leave(organizationId: string, events: number): Promise<void> {
  const fullInMs = events === 0 ? 2 * MINUTE_MS : MINUTE_MS * (1 - events / PER_MINUTE);
  await inRedis((redis) => redis.set(bucketOf(organizationId), Date.now() + fullInMs, 'PX', fullInMs));
}

/**
 * Calls with no event left. A process counts alone, and accepts the call, while Redis takes 0.2 s on a busy machine.
 */
function refusedWithNothingLeft(organizationId: string, call: () => ReturnType<typeof report>) {
  return eventually(async () => {
    await leave(organizationId, 0);
    const response = await call();
    return response.status === 429 && response;
  });
}

/** When the organization may report as many events as in a quiet minute, in milliseconds since 1970. */
const fullAt = async (organizationId: string) => Number(await inRedis((redis) => redis.get(bucketOf(organizationId))));

async function inRedis<Result>(run: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(service.settings.REDIS_URL);
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}

const lines = (count: number, line: unknown) => Array.from({ length: count }, () => line);
const aboutNobody = () => sendGridEvent('delivered', { mailbeacon_email_id: uuidV7(Date.now()) });

it.each([
  ['about recipients', () => lines(MOST_EVENTS, aboutNobody())],
  ['that are ignored', () => lines(MOST_EVENTS, { event: 'open' })],
  ['that are none', () => lines(MOST_EVENTS, 0)],
])('an organization that reports too many events %s waits, and no other one does', async (_, events) => {
  const [loud, quiet] = [await owner(), await owner()];
  await leave(loud.organizationId, 2 * MOST_EVENTS);
  expect(await callsUntilRefused(loud, events())).toBeGreaterThan(0);
  expect((await quiet.post(events())).status).toBe(200);
});

it.each([
  ['of an empty list', () => '[]', '1'],
  ['of 10 MB', () => `[${' '.repeat(LARGEST_BODY - 2)}]`, '2'],
  ['of many values', () => [lines(290_000, 0)], '2'],
])('a call %s counts, and a large one counts as many events', async (_, events, waits) => {
  const { organizationId, post } = await owner();
  expect(await refusedWithNothingLeft(organizationId, () => post(events()))).toMatchObject({ retryAfter: waits });
});

it('a call counts as at least five events, because it takes as long as many events of a large one', async () => {
  const { organizationId, post } = await owner();
  const counted = await eventually(async () => {
    await leave(organizationId, PER_MINUTE / 2);
    const before = await fullAt(organizationId);
    expect((await post([aboutNobody()])).status).toBe(200);
    const after = await fullAt(organizationId);
    return after !== before && after - before;
  });
  expect(counted).toBeCloseTo((5 / PER_MINUTE) * MINUTE_MS, 1);
});

it('after a refusal, calls are refused by their headers until the time that it names', async () => {
  const [loud, quiet, stranger] = [await owner(), await owner(), new EventWebhookKey()];
  await eventually(async () => {
    const refused = await refusedWithNothingLeft(loud.organizationId, () => loud.post('[]'));
    expect(refused).toMatchObject({ retryAfter: '1' });
    // Before it is verified.
    return (await callerOf(loud.id, stranger).post('[]')).status === 429;
  });
  expect((await quiet.post('[]')).status).toBe(200);
  await leave(loud.organizationId, PER_MINUTE / 2);
  await eventually(async () => (await loud.post('[]')).status === 200);
});

it.each(['mailgun', 'postmark', 'resend', 'ses'] as const)('a call of the type %s counts', async (type) => {
  const { organizationId } = await owner();
  const account = accounts[type];
  const id = await addReportingProvider(service, organizationId, type, account.eventKey);
  const call = () => report(service, id, account.bounce(uuidV7(Date.now()), 'reader@example.com'));
  expect((await call()).status).toBe(200);
  await refusedWithNothingLeft(organizationId, call);
});

it('a stranger uses up the calls of no organization', async () => {
  const [{ id, post }, stranger] = [await owner(), new EventWebhookKey()];
  const forged = callerOf(id, stranger);
  for (let call = 0; call < 12; call++) expect((await forged.post(lines(MOST_EVENTS, 0))).status).toBe(401);
  expect((await post(lines(MOST_EVENTS, 0))).status).toBe(200);
});

it("the service's own account is not limited", async () => {
  const { post } = callerOf('sendgrid', serviceKey);
  for (let call = 0; call < 12; call++) expect((await post(lines(MOST_EVENTS, 0))).status).toBe(200);
});

it('a call of too many values is refused before it is parsed', async () => {
  const { organizationId, post } = await owner();
  const fields = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`field${at}`, at]));
  expect((await post([{ ...aboutNobody(), ...fields }])).status).toBe(413);
  const { resend } = accounts;
  const id = await addReportingProvider(service, organizationId, 'resend', resend.eventKey);
  const nested = (count: number) =>
    resend.sign(JSON.stringify({ type: 'email.sent', data: { tags: lines(count, 0) } }));
  expect((await report(service, id, nested(19_000))).status).toBe(200);
  expect((await report(service, id, nested(20_000))).status).toBe(413);
});
