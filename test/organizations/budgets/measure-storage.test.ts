import { StorageMeasurements } from '../../../src/organizations/budgets/measure-storage.js';
import { insertOrganization } from '../../support/backlog.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('two processes that measure an organization at the same time count its bytes once', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  await database.query(
    `insert into attachment_contents (organization_id, sha256, bytes) values ($1, sha256('a'), convert_to(repeat('a', 1000), 'UTF8'))`,
    [organizationId],
  );
  await database.query(
    `insert into budget_usage (organization_id, budget, period, used) values ($1, 'storedBytes', to_timestamp(0), 100)`,
    [organizationId],
  );
  const measure = (): Promise<void> => new StorageMeasurements(database).run(new AbortController().signal);
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
  expect(await database.query('select used from budget_usage')).toEqual([{ used: '1000' }]);
});
