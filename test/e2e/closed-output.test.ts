import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  // More than a pipe holds.
  await opened.database.query(
    `insert into organizations (id, name, plan) select gen_random_uuid(), 'Acme', 'pro' from generate_series(1, 3000)`,
  );
  await opened.database.query(
    `insert into suppressions (organization_id, address_key, reason, address)
     select (select id from organizations limit 1), n || '@example.com', 'manual', n || '@example.com' from generate_series(1, 30000) n`,
  );
});
afterAll(() => opened?.close());

/** Runs a command like `command | head`, which reads the beginning of its output and closes it. */
async function runIntoClosedPipe(...words: string[]) {
  const child = spawn(process.execPath, ['dist/cli/main.js', ...words], {
    env: { PATH: process.env['PATH'], DATABASE_URL: opened.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors };
}

it('a command whose output is closed ends without an error, like other programs', async () => {
  const [organization] = await opened.database.query<{ id: string }>(
    'select organization_id as id from suppressions limit 1',
  );
  expect(await runIntoClosedPipe('org', 'list')).toEqual({ code: 141, errors: '' });
  expect(await runIntoClosedPipe('suppressions', 'export', '--org', organization!.id)).toEqual({
    code: 141,
    errors: '',
  });
});
