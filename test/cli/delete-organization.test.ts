import type { Database } from '../../src/platform/database/database.js';
import { runCli } from '../support/program.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { hasTerminals, runAtTerminal } from '../support/terminal.js';

const NAME = 'Leaving Ltd';
const PROMPT = `This deletes "${NAME}" with all its data, for good. Type its name: `;

let opened: OpenTestDatabase;
let database: Database;
let id: string;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
  const { output } = await runCli({ DATABASE_URL: opened.url }, 'org', 'create', '--name', NAME);
  ({ id } = JSON.parse(output) as { id: string });
});
afterAll(() => opened?.close());

const deleteAtTerminal = (keys: string) =>
  runAtTerminal({ DATABASE_URL: opened.url }, ['org', 'delete', id], { prompt: PROMPT, keys });

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
