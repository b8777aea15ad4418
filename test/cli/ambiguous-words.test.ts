import type { Database } from '../../src/platform/database/database.js';
import { insertOrganization } from '../support/backlog.js';
import { runCommand } from '../support/command-line.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
});
afterAll(() => opened?.close());

const run = (...words: string[]) => runCommand({ DATABASE_URL: opened.url }, ...words);
const countOf = async (table: string): Promise<number> =>
  Number((await database.query<{ n: string }>(`select count(*) as n from ${table}`))[0]!.n);

describe('a command with words that it would ignore does nothing', () => {
  it.each([
    [
      'a time without quotes, of which it would take only the day',
      ['email', 'retry', '--since', '2026-05-04', '08:00Z'],
    ],
    ['a second host', ['links', 'block', '--host', 'a.example', 'b.example']],
    ['a repeated option', ['links', 'block', '--host', 'a.example', '--host', 'b.example']],
    ['a repeated option, once with an equals sign', ['links', 'block', '--host=a.example', '--host', 'b.example']],
  ])('%s', async (_name, words) => {
    const { code, output } = await run(...words);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/too many arguments|only once/) });
    expect([await countOf('audit_entries'), await countOf('blocked_links')]).toEqual([0, 0]);
  });

  it('a second organization, which would not be suspended', async () => {
    const [one, other] = [await insertOrganization(database), await insertOrganization(database)];
    expect(await run('org', 'suspend', one, other, '--reason', 'Phishing')).toMatchObject({ code: 1 });
    expect(await database.query('select organization_id from sending_guards where suspended')).toEqual([]);
  });
});

it('options that take several values can be repeated', async () => {
  const org = await insertOrganization(database);
  const { code, output } = await run('key', 'create', '--org', org, '--scope', 'send', '--scope', 'read', 'manage');
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ scopes: ['send', 'read', 'manage'] });
});
