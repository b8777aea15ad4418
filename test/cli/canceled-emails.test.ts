import { openDatabase } from '../../src/platform/database/open-database.js';
import { insertBacklog, insertOrganization } from '../support/backlog.js';
import { runCommand } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase?.drop());

it('email cancel cancels each email once, and none that a worker has claimed', async () => {
  const database = await openDatabase(testDatabase.url, 1);
  await insertBacklog(database, await insertOrganization(database), 2);
  const rows = await database.query<{ id: string }>('select id from emails order by id');
  const [free, claimed] = rows.map(({ id }) => id) as [string, string];
  await database.query('update pending_emails set lease_token = gen_random_uuid() where email_id = $1', [claimed]);
  await database.pool.end();
  const cancel = (...ids: string[]) => runCommand({ DATABASE_URL: testDatabase.url }, 'email', 'cancel', ...ids);
  expect(JSON.parse((await cancel(free, claimed)).output)).toEqual({ canceled: [free], unchanged: [claimed] });
  expect(JSON.parse((await cancel(free)).output)).toEqual({ canceled: [], unchanged: [free] });
  expect(await cancel('x')).toEqual({ code: 1, output: 'id x is not the ID of an email\n' });
});
