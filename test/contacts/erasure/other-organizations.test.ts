import { BroadcastClient } from '../../support/broadcast-client.js';
import type { TestClient } from '../../support/service.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const BOB = 'bob@example.com';

let bench: ErasureBench;
let client: TestClient;
let neighbor: TestClient;

beforeAll(async () => {
  bench = await ErasureBench.start();
  ({ client } = bench);
  neighbor = await bench.service.organization();
  await leaveTraces(client, 'Ours');
  await leaveTraces(neighbor, 'Theirs');
});
afterAll(() => bench?.stop());

/** What an organization may have about a person whom others know, too. */
async function leaveTraces(organization: TestClient, subject: string): Promise<void> {
  const message = { from: 'a@acme.example', subject, htmlContent: `<p>To ${JANE}</p>` };
  await organization.post('/api/suppressions', { address: JANE });
  await organization.delete(`/api/suppressions/${JANE}`);
  for (const [at, to] of [[JANE], [JANE, BOB]].entries()) {
    const { status } = await organization.post('/api/send', { ...message, to }, { 'idempotency-key': `${JANE} ${at}` });
    expect(status).toBe(200);
  }
  // One who was left out of an email has no contact there.
  await organization.post('/api/suppressions', { address: JANE, note: subject });
  expect((await organization.post('/api/send', { ...message, to: [JANE, BOB] })).status).toBe(200);
  const broadcasts = new BroadcastClient(organization);
  await broadcasts.add(await broadcasts.create(), [{ to: JANE, variables: { name: subject } }, { to: BOB }]);
  expect((await organization.post('/api/domains', { domain: 'shop.example' })).status).toBe(201);
  await bench.service.database.query('update sending_domains set sender_refusal = $2 where organization_id = $1', [
    ...[organization.organizationId, `no mail to <${JANE}>`],
  ]);
}

/** $1 organization. */
const OWN_ROWS = {
  emails: `select e.contact_ids, c.to_addresses, c.html from emails e join email_contents c on c.email_id = e.id
            where e.organization_id = $1 order by e.id`,
  contacts: 'select id, address from contacts where organization_id = $1 order by id',
  suppressions: 'select address, note from suppressions where organization_id = $1',
  'ends of series of soft bounces': 'select address_key, reset_at from soft_bounce_resets where organization_id = $1',
  'recipients of broadcasts': `select r.address, r.variables from broadcasts b
    join broadcast_recipients r on r.broadcast_id = b.id where b.organization_id = $1 order by r.address`,
  'idempotency keys': 'select key from idempotency_keys where organization_id = $1 order by key',
  'refusals of senders': 'select sender_refusal from sending_domains where organization_id = $1',
};

async function rowsOf({ organizationId }: TestClient): Promise<Record<string, object[]>> {
  const read = async ([name, statement]: [string, string]) =>
    [name, await bench.service.database.query(statement, [organizationId])] as const;
  return Object.fromEntries(await Promise.all(Object.entries(OWN_ROWS).map(read)));
}

it('an export has nothing of what another organization has about the same person', async () => {
  const { status, body } = await client.get<{ emails: object[]; broadcasts: object[] }>(`/api/contacts/${JANE}/export`);
  expect([status, body.emails.length, body.broadcasts.length]).toEqual([200, 3, 1]);
  expect(JSON.stringify(body)).not.toContain('Theirs');
});

it('an erasure leaves all of what another organization has about the same person', async () => {
  const before = await rowsOf(neighbor);
  for (const rows of Object.values(before)) expect(JSON.stringify(rows)).toContain(JANE);
  expect(await bench.erase(JANE, client)).toBe(true);
  expect(JSON.stringify(await rowsOf(client))).not.toContain(JANE);
  expect(await rowsOf(neighbor)).toEqual(before);
});
