import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

/** Connections of the API process. */
const CONNECTIONS = 4;

let service: TestService;
let held: TestClient;
let other: TestClient;

beforeAll(async () => {
  const environment = { ROLES: 'api', DATABASE_POOL_SIZE: String(CONNECTIONS) };
  service = await TestService.start({ environment });
  [held, other] = await Promise.all([service.organization(), service.organization()]);
});
afterAll(() => service?.stop());

const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', textContent: 'x' };
const send = async (client: TestClient) => (await client.post('/api/send', email, { prefer: 'respond-async' })).status;
const sendBatch = async (client: TestClient) => (await client.post('/api/send/batch', { emails: [email] })).status;

/** Sends mail of one organization whose statements take long, as if its contact were being erased. */
async function whileHeldUp(sendHeld: typeof send, meanwhile: () => Promise<void>): Promise<number[]> {
  expect(await send(held)).toBe(202);
  const sending: Promise<number>[] = [];
  await whileLocked(
    service.database,
    (sql) => sql.query('select from contacts where organization_id = $1 for update', [held.organizationId]),
    async () => {
      for (let n = 1; n <= 2 * CONNECTIONS; n++) sending.push(sendHeld(held));
      await lockedOut(service.database, 1);
      // Further ones arrive while the first statement waits, over a longer time than others wait for it.
      for (let n = 1; n <= 40; n++) {
        await meanwhile();
        sending.push(sendHeld(held));
      }
      await meanwhile();
    },
  );
  return Promise.all(sending);
}

it('Reads of one organization that take long leave connections to other organizations', async () => {
  const { organizationId } = held;
  await service.database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Spring')`, [
    ...[organizationId, organizationId],
  ]);
  const draft = { name: 'Spring', from: email.from, subject: 'S', textContent: 'x' };
  const broadcast = `broadcasts/${(await held.post('/api/broadcasts', draft)).body.id}`;
  const paths = ['contacts', 'contacts?search=ada', 'contacts/ada@example.com', `campaigns/${organizationId}`, 'stats'];
  const lists = ['emails', 'suppressions', 'campaigns', 'broadcasts', broadcast, `${broadcast}/recipients`];
  const scans = [
    'audit?target=key',
    'audit/export',
    'templates?search=spring',
    `campaigns/${organizationId}/click-map`,
  ];
  const tables =
    'contacts, emails, campaigns, hourly_stats, suppressions, broadcasts, broadcast_recipients, audit_entries, templates';
  const reads: Promise<number>[] = [];
  await whileLocked(
    service.database,
    (sql) => sql.query(`lock table ${tables} in access exclusive mode`),
    async () => {
      for (const path of [...scans, ...paths, ...lists])
        reads.push(held.get(`/api/${path}`).then(({ status }) => status));
      await lockedOut(service.database, 1);
      for (let n = 1; n <= 5; n++) expect((await other.get('/api/webhooks')).status).toBe(200);
    },
  );
  expect((await Promise.all(reads)).filter((status) => status >= 500 && status !== 503)).toEqual([]);
});

it.each([
  ['Batches', sendBatch],
  ['Sends', send],
])('%s of one organization that wait for a lock leave connections to other organizations', async (_, sendHeld) => {
  const statuses = await whileHeldUp(sendHeld, async () => expect(await send(other)).toBe(202));
  // One that waited for five seconds has to be sent again.
  expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([]);
  expect(statuses).toContain(202);
});
