import type { Database } from '../../src/platform/database/database.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { runCli } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { hasTerminals, runAtTerminal } from '../support/terminal.js';

const NAME = 'Leaving Ltd';
const PROMPT = `This deletes "${NAME}" with all its data, for good. Type its name: `;

let testDatabase: TestDatabase;
let database: Database;
let id: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url, 1);
  const { output } = await runCli({ DATABASE_URL: testDatabase.url }, 'org', 'create', '--name', NAME);
  ({ id } = JSON.parse(output) as { id: string });
});
afterAll(async () => {
  await database?.pool.end();
  await testDatabase?.drop();
});

const deleteAtTerminal = (keys: string) =>
  runAtTerminal({ DATABASE_URL: testDatabase.url }, ['org', 'delete', id], { prompt: PROMPT, keys });

async function isDeleted(): Promise<boolean> {
  const rows = await database.query('select from organizations where id = $1 and deleted_at is not null', [id]);
  return rows.length === 1;
}

const describeAtTerminal = hasTerminals ? describe : describe.skip;

describeAtTerminal('org delete at a terminal', () => {
  it.each([
    ['another name', () => 'leaving ltd\r'],
    ['the ID', () => `${id}\r`],
    ['nothing', () => '\r'],
    ['the end of input', () => '\u0004'],
    ['an interruption', () => '\u0003'],
  ])('deletes nothing for %s', async (_name, keys) => {
    const { code, output } = await deleteAtTerminal(keys());
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('nothing was deleted') });
    expect(await isDeleted()).toBe(false);
  });

  it('deletes the organization whose name was typed', async () => {
    const { code, output } = await deleteAtTerminal(`${NAME}\r`);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('"deleted": true') });
    expect(await isDeleted()).toBe(true);
  });
});
