import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Once', htmlContent: '<p>x</p>' };

it('a repeat of a request gets the first response also after its organization was paused', async () => {
  const send = (headers: object) => client.post('/api/send', email, { prefer: 'respond-async', ...headers });
  const sendBatch = (headers: object) => client.post('/api/send/batch', { emails: [email] }, { ...headers });
  const [one, batch] = [{ 'idempotency-key': 'one' }, { 'idempotency-key': 'batch' }];
  const first = [await send(one), await sendBatch(batch)];
  expect(first.map(({ status }) => status)).toEqual([202, 202]);
  await service.database.query(
    `insert into sending_guards (organization_id, state, reason) values ($1, 'paused', 'x')`,
    [client.organizationId],
  );
  await eventually(async () => (await send({})).status === 403);
  expect((await sendBatch({})).status).toBe(403);
  const repeats = [await send(one), await sendBatch(batch)];
  expect(repeats.map(({ status, body }) => ({ status, body }))).toEqual(
    first.map(({ status, body }) => ({ status, body })),
  );
  expect((await send({ 'idempotency-key': 'new' })).status).toBe(403);
});
