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

describe('errors', () => {
  it('have the details of the response', async () => {
    const details = [{ field: 'subject', message: 'subject must not be empty' }];
    server.play({ status: 400, body: JSON.stringify({ error: 'subject must not be empty', details }) });
    expect(await errorOf(client.emails.send(message))).toMatchObject({ status: 400, details });
  });

  it('have the ID of the request even without a response, and the cause', async () => {
    server.play({ breaks: 'before' });
    const error = await errorOf(client.templates.create({ name: 'N', subject: 'S', htmlContent: 'x' }));
    expect(error).toMatchObject({ name: 'MailbeaconError', status: 0, details: [] });
    expect(error.requestId).toBe(server.received[0]!.headers['x-request-id']);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('describe a response that does not come from our service', async () => {
    server.play({ status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' });
    expect((await errorOf(client.emails.get('t'))).message).toBe('The response has the status 403');
  });

  it.each([
    '{"error":{"code":1020,"message":"Access denied"},"details":"See the status page"}',
    '"Forbidden"',
    '[]',
    'null',
    '403',
  ])('describe a response of a proxy in JSON: %s', async (body) => {
    server.play({ status: 403, body });
    expect(await errorOf(client.emails.get('t'))).toMatchObject({
      message: 'The response has the status 403',
      details: [],
    });
  });

  it('do not follow a redirect with the key', async () => {
    server.play({ status: 302, headers: { location: `${server.address}/elsewhere` } });
    expect((await errorOf(client.emails.get('t'))).status).toBe(302);
    expect(server.received.map(({ request }) => request)).toEqual(['GET /api/emails/t']);
  });

  it('stop a parameter that would make the path another one', () => {
    server.play();
    for (const id of ['', '.', '..']) expect(() => client.templates.delete(id)).toThrow(TypeError);
    expect(server.received).toEqual([]);
  });

  it('reject what can never be sent, without an attempt', async () => {
    server.play();
    const circular: Record<string, unknown> = {};
    circular['itself'] = circular;
    const outcomes = await Promise.allSettled([
      new Mailbeacon({ url: server.address, apiKey: 'mb_key…' }).emails.get('t'),
      client.emails.send(message, { idempotencyKey: 'заказ-42' }),
      client.emails.send({ ...message, metadata: circular }),
      client.emails.send({ ...message, metadata: { order: 42n } }),
    ]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(TypeError) as TypeError });
    expect(server.received).toEqual([]);
  });

  it('keep the key out of what is printed', () => {
    expect(JSON.stringify(client)).not.toContain('mb_key');
  });
});
