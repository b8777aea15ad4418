import { runCommandWith } from '../support/command-line.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase(1);
});
afterAll(() => opened?.close());

it('`cli database login` leaves a login with more rights as it is: its password is that of the owner', async () => {
  const { username: owner, password } = new URL(opened.url);
  // Its own password, so that nothing else that uses this server is locked out if this fails.
  const given = { environment: { DATABASE_URL: opened.url }, input: password };
  const { code, output } = await runCommandWith(given, 'database', 'login', '--role', 'tracking', '--name', owner);
  expect([code, output]).toEqual([1, expect.stringMatching(/^name .*more rights/)]);
  const memberships = await opened.database.query(
    'select from pg_auth_members where member = $1::regrole and roleid::regrole::text = current_database() || $2',
    [owner, '_tracking'],
  );
  expect(memberships).toEqual([]);
});
