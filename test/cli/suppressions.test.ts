import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

let database: TestDatabase;
let directory: string;
let organization: string;

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'suppressions-'));
  const { output } = await runCommand({ DATABASE_URL: database.url }, 'org', 'create', '--name', 'Acme');
  organization = (JSON.parse(output) as { id: string }).id;
});
afterAll(async () => {
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

function run(command: string, ...options: string[]): Promise<{ code: number | null; output: string }> {
  return runCommand({ DATABASE_URL: database.url }, 'suppressions', command, '--org', organization, ...options);
}

it('names a file that cannot be read, in one line', async () => {
  const missing = join(directory, 'missing.csv');
  expect(await run('import', missing)).toEqual({ code: 1, output: `${missing} cannot be read: ENOENT\n` });
  expect(await run('import', directory)).toEqual({ code: 1, output: `${directory} cannot be read: EISDIR\n` });
});

it('imports, adds, lists, exports and removes', async () => {
  const file = join(directory, 'list.csv');
  await writeFile(file, 'address,reason\na@example.com,complaint\nnobody,\n');
  const imported = JSON.parse((await run('import', file)).output) as object;
  expect(imported).toMatchObject({ added: 1, known: 0, invalid: 1, invalidLines: [{ line: 3 }] });
  const added = JSON.parse((await run('add', 'a@example.com', 'b@example.com', '--note', 'By phone')).output) as object;
  expect(added).toEqual({ added: 2, known: 0 });
  const listed = JSON.parse((await run('list', '--reason', 'manual', '--search', 'EXAMPLE')).output) as object;
  expect(listed).toMatchObject([{ address: 'b@example.com', note: 'By phone', scope: 'all' }]);
  const { output } = await run('export');
  expect(output).toMatch(
    /^address,reason,scope,emailId,note,createdAt\r\na@example\.com,complaint,.*\r\nb@example\.com/,
  );
  expect(JSON.parse((await run('remove', 'A@example.com')).output)).toEqual({
    address: 'A@example.com',
    removed: true,
  });
  expect(await run('remove', 'a@example.com')).toMatchObject({ code: 1 });
});

it('refuses an organization that is unknown or deleted', async () => {
  const of = (id: string, ...words: string[]) =>
    runCommand({ DATABASE_URL: database.url }, 'suppressions', ...words, '--org', id);
  const refused = { code: 1, output: 'Organization not found\n' };
  expect(await of('0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77', 'export')).toEqual(refused);
  const { output } = await runCommand({ DATABASE_URL: database.url }, 'org', 'create', '--name', 'Gone');
  const { id } = JSON.parse(output) as { id: string };
  await runCommand({ DATABASE_URL: database.url }, 'org', 'delete', id, '--yes');
  for (const words of [['add', 'a@example.com'], ['list'], ['export']]) expect(await of(id, ...words)).toEqual(refused);
});
