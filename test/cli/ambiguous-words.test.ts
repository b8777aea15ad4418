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

it.each(['2126-12-01T10:00', '2126-12-01 10:00', '01/02/2126', 'next year 2126', '2126-02-31', '2126-02-31T00:00:00Z'])(
  'a time that depends on the host, or that no calendar has, is refused: %s',
  async (time) => {
    const org = await insertOrganization(database);
    const refused = expect.stringMatching(/must be .*time.*2026-03-01T09:30:00Z/);
    expect(await run('key', 'create', '--org', org, '--expires', time)).toEqual({ code: 1, output: refused });
    expect(await run('email', 'retry', '--org', org, '--since', time)).toEqual({ code: 1, output: refused });
  },
);

it('an expiry is a time with a zone, or a date in UTC', async () => {
  const org = await insertOrganization(database);
  const expiryOf = async (time: string): Promise<unknown> => {
    const { output } = await run('key', 'create', '--org', org, '--expires', time);
    return (JSON.parse(output) as { expiresAt: unknown }).expiresAt;
  };
  expect(await expiryOf('2126-12-01T10:00+02:00')).toBe('2126-12-01T08:00:00.000Z');
  expect(await expiryOf('2126-12-01')).toBe('2126-12-01T00:00:00.000Z');
});
