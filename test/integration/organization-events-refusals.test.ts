import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { newEncryptionKey, readEncryptionKeys } from '../../src/platform/encryption/encryption-keys.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { rawRequest } from '../support/raw-http.js';
import { addReportingProvider, report, reportingProviders } from '../support/reporting-providers.js';
import { TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey } from '../support/sendgrid-calls.js';
import { CERTIFICATE_URL, SnsSigner, SnsStub } from '../support/sns-calls.js';

const TYPES = ['sendgrid', 'mailgun', 'postmark', 'resend', 'ses'] as const;
const NOT_FOUND = { status: 404, body: { error: 'Not found' } };
const KB = 1024;

const log = new CapturedLog('error', ['api']);
let sns: SnsStub;
let service: TestService;
let client: TestClient;
let accounts: ReturnType<typeof reportingProviders>;

beforeAll(async () => {
  const signer = await SnsSigner.create();
  sns = new SnsStub();
  sns.respond = (url) => new Response(url === CERTIFICATE_URL ? signer.certificate : '', { status: 200 });
  accounts = reportingProviders('own', signer);
  service = await TestService.start({ environment: { ROLES: 'api' }, logger: log.logger });
  client = await service.organization();
});
afterAll(async () => {
  sns?.restore();
  await service?.stop();
});

const add = (type: (typeof TYPES)[number], organizationId = client.organizationId) =>
  addReportingProvider(service, organizationId, type, accounts[type].eventKey);
const aboutNobody = () => accounts.sendgrid.bounce(uuidV7(Date.now()), 'reader@example.com');

describe('a call that nothing verifies is refused alike', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['with an ID that is none', () => 'x'],
    ['with an ID that tries to be more', () => encodeURIComponent("1' or '1'='1")],
    ['with an unknown ID', () => uuidV7(Date.now())],
    ['for a provider without an event key', () => addReportingProvider(service, client.organizationId, 'sendgrid')],
    [
      'for a mail server, which reports no events',
      () => addReportingProvider(service, client.organizationId, 'smtp', 'a:b'),
    ],
    [
      'for a deleted organization',
      async () => {
        const { organizationId } = await service.organization();
        const id = await add('sendgrid', organizationId);
        await service.database.query('update organizations set deleted_at = now() where id = $1', [organizationId]);
        return id;
      },
    ],
  ])('%s', async (_, idOf) => {
    expect(await report(service, await idOf(), aboutNobody())).toMatchObject(NOT_FOUND);
  });

  it('before its body is read', async () => {
    const head = `POST /api/providers/${uuidV7(Date.now())}/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`;
    const response = await rawRequest(service.settings.PORT, `${head}content-length: 9000\r\n\r\n[`);
    expect(response).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"Not found"\}$/);
  });
});

describe('a provider that the organization manages', () => {
  const [key, nextKey] = [new EventWebhookKey(), new EventWebhookKey()];

  it('reports with the key that it has, within five seconds of a change', async () => {
    const provider = { name: 'main', type: 'sendgrid', credentials: { apiKey: 'SG.x' }, eventKey: key.publicKey };
    const { body } = await client.post<{ id: string; eventsUrl: string }>('/api/providers', provider);
    expect(new URL(body.eventsUrl).pathname).toBe(`/api/providers/${body.id}/events`);
    const path = `/api/providers/${body.id}`;
    const becomes = (signer: EventWebhookKey, status: number) => {
      const call = { body: '[]', headers: signer.sign('[]') };
      return eventually(async () => (await report(service, body.id, call)).status === status, 5_000);
    };
    await becomes(key, 200);
    await client.patch(path, { eventKey: `${key.publicKey},${nextKey.publicKey}` });
    await becomes(nextKey, 200);
    await becomes(key, 200);
    await client.patch(path, { eventKey: nextKey.publicKey });
    await becomes(key, 401);
    await client.patch(path, { eventKey: null });
    await becomes(nextKey, 404);
    await client.patch(path, { eventKey: key.publicKey });
    await becomes(key, 200);
    await client.delete(path);
    await becomes(key, 404);
  });

  it('has few keys, because each is tried on a body of 10 MB', async () => {
    const eventKey = (count: number) => Array<string>(count).fill(key.publicKey).join(', ');
    const provider = { name: 'many keys', type: 'sendgrid', credentials: { apiKey: 'SG.x' } };
    const refusal = await client.post<{ error: string }>('/api/providers', { ...provider, eventKey: eventKey(6) });
    expect(refusal).toMatchObject({ status: 400 });
    expect(refusal.body.error).toContain('at most 5');
    expect((await client.post('/api/providers', { ...provider, eventKey: eventKey(5) })).status).toBe(201);
  });
});

it('a key of the organization is no signature', async () => {
  const { status } = await client.post(`/api/providers/${await add('sendgrid')}/events`, []);
  expect(status).toBe(401);
});

it('a provider whose event key was sealed with a lost key gets 503, so that it repeats the call', async () => {
  const box = new SecretBox(readEncryptionKeys(newEncryptionKey('lost'))!);
  const id = await addReportingProvider(service, client.organizationId, 'sendgrid', accounts.sendgrid.eventKey, box);
  for (let call = 0; call < 3; call++)
    expect(await report(service, id, aboutNobody())).toMatchObject({ status: 503, retryAfter: '30' });
  const lines = log.text.split('\n').filter((line) => line.includes(id));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('The event key of a provider cannot be read');
});

describe.each(TYPES)('a call of the type %s', (type) => {
  const HOSTILE = ['', 'null', '[', '"x"', '[[7]]', '{}', '\u0000', '['.repeat(60_000), `[${'0,'.repeat(30_000)}0]`];

  it.each(HOSTILE.map((body) => [body.slice(0, 8), body]))('may have any body: %j', async (_, body) => {
    const { status } = await report(service, await add(type), accounts[type].sign(body));
    expect([200, 400, 401, 413]).toContain(status);
  });

  it("has at most as many bytes as for the service's own account", async () => {
    const id = await add(type);
    const limit = { sendgrid: 10_240, mailgun: 64, postmark: 1_024, resend: 1_024, ses: 256 }[type] * KB;
    const { headers } = accounts[type].sign('');
    const post = (bytes: number) => report(service, id, { body: 'x'.repeat(bytes), headers });
    expect((await post(limit + 1)).status).toBe(413);
    expect((await post(limit)).status).not.toBe(413);
  });

  it('has one media type', async () => {
    const id = await add(type);
    const { body, headers } = accounts[type].bounce(uuidV7(Date.now()), 'reader@example.com');
    const other = type === 'ses' ? 'application/json' : 'text/plain';
    for (const contentType of [other, 'message/rfc822', 'application/x-www-form-urlencoded'])
      expect((await report(service, id, { body, headers: { ...headers, 'content-type': contentType } })).status).toBe(
        415,
      );
  });
});

it('a network that calls many unknown IDs is limited, and costs Postgres one query at a time', async () => {
  const id = await add('sendgrid');
  const guess = async () => (await report(service, uuidV7(Date.now()), aboutNobody())).status;
  const guesses = (count: number) => Promise.all(Array.from({ length: count }, guess));
  // Many at once, because the network regains ten a second.
  await eventually(async () => (await guesses(200)).includes(429), 60_000);
  const pool = await service.database.pool.connect();
  try {
    await pool.query('begin; lock table organization_providers in access exclusive mode');
    const waiting = guesses(100);
    const lookUps = async () => {
      const [row] = await service.database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%organization_providers%'`,
      );
      return row!.count;
    };
    await eventually(async () => (await lookUps()) > 0);
    expect(await lookUps()).toBe(1);
    await pool.query('rollback');
    expect((await waiting).filter((status) => status === 429).length).toBeGreaterThan(50);
  } finally {
    await pool.query('rollback');
    pool.release();
  }
  // A provider of that network is still heard, even one that the process sees for the first time.
  expect((await report(service, id, aboutNobody())).status).toBe(200);
});
