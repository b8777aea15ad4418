import { Mailbeacon } from '../../packages/client/src/index.js';
import { errorOf } from './error-of.js';
import { ScriptedServer } from './scripted-server.js';

let server: ScriptedServer;
let client: Mailbeacon;

beforeAll(async () => {
  server = await ScriptedServer.listen();
  client = new Mailbeacon({ url: `${server.address}/`, apiKey: 'mb_key' });
});
afterAll(async () => server?.close());

const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', textContent: 'x' };
const busy = { status: 429, headers: { 'retry-after': '0' }, body: '{"error":"Too many requests"}' };
const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

describe('a call that may be repeated', () => {
  it('sends again with the same Idempotency-Key and request ID, and another call has others', async () => {
    server.play({ breaks: 'before' }, { breaks: 'within' }, { body: '{"emailTrackingId":"t"}' });
    expect(await client.emails.send(message)).toEqual({ emailTrackingId: 't' });
    expect(server.received.map(({ request }) => request)).toEqual(Array(3).fill('POST /api/send'));
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual(Array(3).fill(message));
    expect(new Set(keys()).size).toBe(1);
    expect(new Set(server.received.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
    const [first] = keys();
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    server.play();
    await client.emails.send(message);
    expect(keys()).not.toContain(first);
  });

  it('sends what it was called with, although the caller changes the object before the repetition', async () => {
    const email = { ...message };
    server.play({ status: 503, headers: { 'retry-after': '0' } });
    const sent = client.emails.send(email);
    email.to = 'another@example.com';
    await sent;
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([message, message]);
  });

  it('uses the key that the caller chose', async () => {
    server.play(busy);
    await client.emails.sendBatch([message], { idempotencyKey: 'order-4711' });
    expect(keys()).toEqual(['order-4711', 'order-4711']);
  });

  it('has each header once: that of the caller, in any case', async () => {
    const named = new Mailbeacon({ url: server.address, apiKey: 'mb_key', headers: { 'X-Request-Id': 'job-1' } });
    server.play();
    await named.emails.send(message, { headers: { 'Idempotency-Key': 'welcome-42', 'X-API-Key': 'mb_other' } });
    expect(server.received[0]!.headers).toMatchObject({
      'idempotency-key': 'welcome-42',
      'x-api-key': 'mb_other',
      'x-request-id': 'job-1',
    });
  });

  it('waits as long as the service requests', async () => {
    server.play({ status: 503, headers: { 'retry-after': '1' } });
    await client.emails.get('t');
    const [first, second] = server.received;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
  });

  it('leaves a longer wait than a minute to the caller', async () => {
    server.play({ status: 503, headers: { 'retry-after': '61', 'x-request-id': 'r-1' }, body: '{"error":"Closed"}' });
    const error = await errorOf(client.emails.get('t'));
    expect(error).toMatchObject({ status: 503, message: 'Closed', requestId: 'r-1', retryAfterMs: 61_000 });
    expect(server.received).toHaveLength(1);
  });

  it('waits while the first request with its key still runs', async () => {
    server.play({ status: 409, headers: { 'retry-after': '0' } });
    await client.emails.send(message);
    expect(server.received).toHaveLength(2);
  });

  it('waits for its own first attempt, whose response was lost, however long that takes', async () => {
    const running = { status: 409, headers: { 'retry-after': '0' }, body: '{"error":"Still running"}' };
    server.play({ breaks: 'before' }, ...Array<typeof running>(8).fill(running), { body: '{"emailTrackingId":"t"}' });
    expect(await client.emails.send(message)).toEqual({ emailTrackingId: 't' });
    expect(new Set(keys()).size).toBe(1);
    // The request of another process is not ours to wait for.
    server.play(...Array<typeof running>(8).fill(running));
    expect(await errorOf(client.emails.send(message, { retries: 2 }))).toMatchObject({ status: 409 });
    expect(server.received).toHaveLength(3);
  });

  it('gives up after as many repetitions as it may make', async () => {
    server.play(...Array<typeof busy>(9).fill(busy));
    expect((await errorOf(client.emails.get('t'))).status).toBe(429);
    expect(server.received).toHaveLength(4);
    server.play(busy);
    expect((await errorOf(client.emails.get('t', { retries: 0 }))).message).toBe('Too many requests');
    expect(server.received).toHaveLength(1);
  });

  it('takes a deletion for done if nothing is left after a lost response', async () => {
    server.play({ breaks: 'before' }, { status: 404 });
    await client.templates.delete('t');
    expect(server.received).toHaveLength(2);
    server.play({ status: 404, body: '{"error":"Template not found"}' });
    expect((await errorOf(client.templates.delete('t'))).status).toBe(404);
  });
});

describe('a call that may not be repeated', () => {
  it.each([busy, { status: 408 }])('is, if the service has not acted: %j', async (step) => {
    server.play(step);
    await client.templates.create({ name: 'N', subject: 'S', htmlContent: 'x' });
    expect(server.received).toHaveLength(2);
  });

  it.each([{ breaks: 'before' as const }, { status: 503 }, { status: 504 }, { status: 500 }])(
    'is not after %j',
    async (step) => {
      server.play(step);
      const error = await errorOf(client.templates.create({ name: 'N', subject: 'S', htmlContent: 'x' }));
      expect(error.status).toBe('status' in step ? step.status : 0);
      expect(server.received).toHaveLength(1);
    },
  );

  it('is a change of a template, which would create another version, unless it names the version that it changes', async () => {
    const change = { name: 'N', subject: 'S', htmlContent: 'x' };
    server.play({ breaks: 'before' });
    expect((await errorOf(client.templates.change('t', change))).status).toBe(0);
    expect(server.received).toHaveLength(1);
    server.play({ breaks: 'before' });
    await client.templates.change('t', { ...change, version: 1 });
    expect(server.received).toHaveLength(2);
  });

  it('is not if its body was a stream, which is gone', async () => {
    server.play(busy);
    async function* rows() {
      yield 'address\n';
      yield Buffer.from('a@example.com\n');
    }
    expect((await errorOf(client.suppressions.import(rows()))).status).toBe(429);
    expect(server.received.map(({ body }) => body)).toEqual(['address\na@example.com\n']);
    server.play(busy);
    await client.suppressions.import(new Blob(['address\n']));
    expect(server.received).toHaveLength(2);
  });

  it('is not after the final refusal of an email', async () => {
    server.play({ status: 500, body: '{"error":"550 No such user"}' });
    expect((await errorOf(client.emails.send(message))).message).toBe('550 No such user');
    expect(server.received).toHaveLength(1);
  });
});

it('escapes parameters, and leaves out those without a value', async () => {
  server.play({ body: '{"emails":[]}' });
  await client.emails.list({ tag: undefined, from: 'ada+1@acme.example', limit: 5 }).first();
  await client.contacts.get('a/b?c@example.com');
  expect(server.received.map(({ request }) => request)).toEqual([
    'GET /api/emails?from=ada%2B1%40acme.example&limit=5',
    'GET /api/contacts/a%2Fb%3Fc%40example.com',
  ]);
  expect(server.received[0]!.headers).toMatchObject({ 'x-api-key': 'mb_key' });
});
