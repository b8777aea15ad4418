import { Redis } from 'ioredis';
import { IdempotencyKeys } from '../../src/emails/idempotency/idempotency-keys.js';
import { eventually } from '../support/eventually.js';
import { fresh, IdempotentClient, isReplay, statusesAndBodies, storedEmailsTo } from '../support/idempotent-client.js';
import { rawRequest } from '../support/raw-http.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let secondProcess: TestService;
let client: TestClient;
let idempotent: IdempotentClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  secondProcess = await TestService.start({ beside: service, environment: { ROLES: 'api', ...AWAIT_RESULT } });
  client = await service.organization();
  idempotent = new IdempotentClient(client);
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

const email = {
  from: 'ada@acme.example',
  subject: 'Once',
  htmlContent: '<a href="https://example.com/a">a</a>',
};

const emailsTo = (address: string) => storedEmailsTo(service, address);

describe('I01: the same key and body 50 times at once', () => {
  it('sends one email: every response equals the first, or is 409 while the first request is running', async () => {
    const { key, to } = fresh();
    const elsewhere = new IdempotentClient(secondProcess.client(client.organizationId, client.apiKey));
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, at) => (at % 2 ? idempotent : elsewhere).send(key, { ...email, to })),
    );
    const [first, ...replays] = responses
      .filter(({ status }) => status === 200)
      .sort((a, b) => +isReplay(a) - +isReplay(b));
    const running = responses.filter(({ status }) => status === 409);
    expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(isReplay(first!)).toBe(false);
    expect(replays.every(isReplay)).toBe(true);
    for (const replay of replays) expect(replay.body).toEqual(first!.body);
    for (const { body, headers } of running) {
      expect(body).toEqual({ error: expect.stringMatching(/still running/) });
      expect(headers.get('retry-after')).toBe('1');
    }
    const later = await idempotent.send(key, { ...email, to });
    expect(statusesAndBodies(later)).toEqual(statusesAndBodies(first!));
    expect(isReplay(later)).toBe(true);
    expect(await emailsTo(to)).toBe(1);
    expect(service.mailServer.messages.filter(({ recipients }) => recipients.includes(to))).toHaveLength(1);
  });

  it('tracks one email: 50 equal responses, one of them the first', async () => {
    const { key, to } = fresh();
    const responses = await Promise.all(Array.from({ length: 50 }, () => idempotent.track(key, { ...email, to })));
    expect(new Set(responses.map((response) => JSON.stringify(statusesAndBodies(response)))).size).toBe(1);
    expect(responses[0]!.status).toBe(200);
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    expect(await emailsTo(to)).toBe(1);
  });
});

describe('I02: the same key with another body', () => {
  it('is 422 and stores nothing', async () => {
    const { key, to } = fresh();
    const first = await idempotent.send(key, { ...email, to });
    const other = await idempotent.send(key, { ...email, to, subject: 'Twice' });
    expect(statusesAndBodies(other)).toEqual([
      { status: 422, body: { error: expect.stringMatching(/Idempotency-Key/) } },
    ]);
    expect((await idempotent.track(key, { ...email, to })).status).toBe(422);
    expect(statusesAndBodies(await idempotent.send(key, { ...email, to, unknownField: 1 }))).toEqual(
      statusesAndBodies(first),
    );
    expect(await emailsTo(to)).toBe(1);
  });
});

describe('I03: the same key in two organizations', () => {
  it('makes two emails', async () => {
    const { key, to } = fresh();
    const other = new IdempotentClient(await service.organization());
    const responses = [await idempotent.track(key, { ...email, to }), await other.track(key, { ...email, to })];
    expect(responses.map(isReplay)).toEqual([false, false]);
    expect(responses[0]!.body.id).not.toBe(responses[1]!.body.id);
  });
});

describe('I04: the same key after Redis was emptied', () => {
  it('still identifies the first email', async () => {
    const { key, to } = fresh();
    const first = await idempotent.send(key, { ...email, to });
    const redis = new Redis(service.settings.REDIS_URL);
    await redis.flushdb();
    redis.disconnect();
    expect(statusesAndBodies(await idempotent.send(key, { ...email, to }))).toEqual(statusesAndBodies(first));
    expect(await emailsTo(to)).toBe(1);
  });
});

describe('I05: a key whose request was refused', () => {
  it('is free for the corrected request', async () => {
    const { key, to } = fresh();
    expect((await idempotent.send(key, { ...email, to, subject: 7 })).status).toBe(400);
    expect((await idempotent.send(key, { ...email, to: 'nobody' })).status).toBe(400);
    const accepted = await idempotent.send(key, { ...email, to });
    expect(accepted.status).toBe(200);
    expect(isReplay(accepted)).toBe(false);
  });

  it('is also free when the campaign was archived', async () => {
    const { key, to } = fresh();
    const { body } = await client.post<{ id: string }>('/api/campaigns', { name: `Archived ${key}` });
    await client.post(`/api/campaigns/${body.id}/archive`);
    expect((await idempotent.send(key, { ...email, to, campaignId: body.id })).status).toBe(400);
    expect((await idempotent.send(key, { ...email, to })).status).toBe(200);
  });
});

describe('I06: a key of 257 characters or with control characters', () => {
  it.each([
    ['257 characters', 'x'.repeat(257)],
    ['a tab', 'a\tb'],
    ['nothing', ''],
  ])('returns 400: %s', async (_name, key) => {
    const { status, body } = await idempotent.send(key, { ...email, to: fresh().to });
    expect({ status, body }).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^Idempotency-Key/) } });
  });

  it('is valid with 256 characters', async () => {
    expect((await idempotent.track('x'.repeat(256), { ...email, to: fresh().to })).status).toBe(200);
  });

  it('returns 400 for characters that no header may have', async () => {
    const response = await rawRequest(
      service.settings.PORT,
      `POST /api/send HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${client.apiKey}\r\nidempotency-key: a\x01b\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('the first response', () => {
  it('is computed once: 409 until the delivery is decided, then replayed', async () => {
    const { key, to } = fresh();
    let deliver!: () => void;
    const delivered = new Promise<void>((resolve) => (deliver = resolve));
    service.mailServer.scripts.add(to, { phase: 'dot', after: delivered });
    const first = idempotent.send(key, { ...email, to });
    await eventually(async () => (await emailsTo(to)) === 1);
    expect((await idempotent.send(key, { ...email, to })).status).toBe(409);
    expect((await idempotent.send(key, { ...email, to, subject: 'Other' })).status).toBe(422);
    deliver();
    const { status, body } = await first;
    expect(status).toBe(200);
    expect(statusesAndBodies(await idempotent.send(key, { ...email, to }))).toEqual([{ status, body }]);
  });

  it('stays 202 if it was 202; its Location has the current state', async () => {
    const { key, to } = fresh();
    const first = await idempotent.send(key, { ...email, to }, { prefer: 'respond-async' });
    expect(first.status).toBe(202);
    const location = first.headers.get('location')!;
    await eventually(async () => (await client.get(location)).body.status === 'sent');
    const again = await idempotent.send(key, { ...email, to });
    expect(statusesAndBodies(again)).toEqual(statusesAndBodies(first));
    expect(again.headers.get('location')).toBe(location);
    const decided = await new IdempotencyKeys(service.database).decideFirst(client.organizationId, key);
    expect(decided).toEqual({ status: 202, failure: null });
    expect(isReplay(again)).toBe(true);
  });

  it('stays 500 if the provider refused permanently, without another call to it', async () => {
    const { key, to } = fresh();
    service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 No such user' }, 1);
    const first = await idempotent.send(key, { ...email, to });
    expect(statusesAndBodies(first)).toEqual([{ status: 500, body: { error: expect.stringMatching(/No such user/) } }]);
    const again = await idempotent.send(key, { ...email, to });
    expect(statusesAndBodies(again)).toEqual(statusesAndBodies(first));
    expect(isReplay(again)).toBe(true);
    expect(await emailsTo(to)).toBe(1);
  });
});

describe('after 24 hours', () => {
  const age = 'update idempotency_keys set created_at = now() - $2::interval where key = $1';

  it('a key can be used again, even before it is cleaned up', async () => {
    const { key, to } = fresh();
    await idempotent.track(key, { ...email, to });
    await service.database.query(age, [key, '25 hours']);
    const responses = await Promise.all([1, 2, 3].map(() => idempotent.track(key, { ...email, to, subject: 'New' })));
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    expect(await emailsTo(to)).toBe(2);
  });

  it('a recurring job removes it, and no newer key', async () => {
    const [old, young] = [fresh(), fresh()];
    for (const { key, to } of [old, young]) await idempotent.track(key, { ...email, to });
    await service.database.query(age, [old.key, '25 hours']);
    await service.database.query(age, [young.key, '23 hours 59 minutes']);
    await new IdempotencyKeys(service.database).deleteExpired();
    const left = await service.database.query('select key from idempotency_keys where key = any($1)', [
      [old.key, young.key],
    ]);
    expect(left).toEqual([{ key: young.key }]);
  });
});
