import { StorageMeasurements } from '../../../src/organizations/budgets/measure-storage.js';
import { firstUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { insertOrganization } from '../../support/backlog.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

/** Sets the used bytes, as after a measurement that is due again. */
async function use(organizationId: string, bytes: number): Promise<void> {
  await open.database.query(
    `insert into budget_usage (organization_id, budget, period, used) values ($1, 'storedBytes', to_timestamp(0), $2)`,
    [organizationId, bytes],
  );
}

const measure = (): Promise<void> => new StorageMeasurements(open.database).run(new AbortController().signal);

it('two processes that measure an organization at the same time count its bytes once', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  await database.query(
    `insert into attachment_contents (organization_id, sha256, bytes) values ($1, sha256('a'), convert_to(repeat('a', 1000), 'UTF8'))`,
    [organizationId],
  );
  await use(organizationId, 100);
  let both: Promise<unknown> | undefined;
  await whileLocked(
    database,
    (sql) => sql.query('select from budget_usage for update'),
    async () => {
      both = Promise.all([measure(), measure()]);
      await lockedOut(database, 2);
    },
  );
  await both;
  expect(await database.query('select used from budget_usage where organization_id = $1', [organizationId])).toEqual([
    { used: '1000' },
  ]);
});

it('an email that is accepted during a measurement counts when it is stored, and not again as measured', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  const id = firstUuidV7(Date.now() + 60_000);
  await database.query(
    `insert into emails (id, tracking_id, organization_id, contact_ids, status) values ($1, 'later', $2, '{}', 'queued')`,
    [id, organizationId],
  );
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html)
     values ($1, 'a@acme.example', '{b@example.com}', 'S', repeat('x', 1000))`,
    [id],
  );
  await use(organizationId, 100);
  await measure();
  expect(await database.query('select used from budget_usage where organization_id = $1', [organizationId])).toEqual([
    { used: '0' },
  ]);
});
