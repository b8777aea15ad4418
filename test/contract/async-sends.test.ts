import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
const prefer = 'respond-async';

let worker: TestService;
let redis: TcpProxy;
let api: TestService;
let client: TestClient;

/** The worker delivers an email while Redis still confirms its job to the API. */
beforeAll(async () => {
  worker = await TestService.start({ environment: { ROLES: 'worker' } });
  redis = await TcpProxy.before(new URL(worker.settings.REDIS_URL));
  const environment = { ROLES: 'api', REDIS_URL: redis.through(worker.settings.REDIS_URL), ...AWAIT_RESULT };
  api = await TestService.start({ environment, beside: worker });
  client = await api.organization();
  // The first job opens the queue, which takes several round trips.
  expect((await client.post('/api/send', { ...email, to: 'first@example.com' })).status).toBe(200);
  redis.slowDown(150);
});
afterAll(async () => {
  await api?.stop();
  await redis?.goDown();
  await worker?.stop();
});

describe('Prefer: respond-async gets a 202, however soon the email is delivered,', () => {
  it.each<[string, Record<string, string>]>([
    ['without an idempotency key', {}],
    ['with one', { 'idempotency-key': 'order-1' }],
  ])('%s', async (_, key) => {
    const to = 'reader@example.com';
    const { status, body, headers } = await client.post<SendResponse>(
      '/api/send',
      { ...email, to },
      { prefer, ...key },
    );
    expect({ status, body }).toMatchObject({ status: 202, body: { id: null, status: 'queued', links: [] } });
    await eventually(async () => (await client.get(headers.get('location')!)).body.status === 'sent');
  });
});
