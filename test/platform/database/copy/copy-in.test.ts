import type { Database } from '../../../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../../../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
});
afterAll(() => opened?.close());

const backend = () => database.query('select pg_backend_pid()');

it('copies rows, and its connection stays usable after rows that cannot be copied', async () => {
  const rows = Buffer.from(Array.from({ length: 50_000 }, (_, number) => `${number}\tü\\n\n`).join(''));
  const before = await backend();
  await database.query('create table copied (number int primary key, text text)');
  const copy = (...content: Buffer[]) =>
    database.transaction((sql) => sql.copyIn('copy copied (number, text) from stdin', content));
  await expect(copy(Buffer.from('none\tx\n'), rows)).rejects.toMatchObject({ code: '22P02' });
  await expect(copy(rows, rows)).rejects.toMatchObject({ code: '23505' });
  const failing = function* (): Iterable<Buffer> {
    yield rows;
    throw new Error('no more rows');
  };
  await expect(
    database.transaction((sql) => sql.copyIn('copy copied (number, text) from stdin', failing())),
  ).rejects.toThrow(/no more rows/);
  await copy(rows);
  const [row] = await database.query('select count(*)::int, min(text) as text from copied');
  expect(row).toEqual({ count: 50_000, text: 'ü\n' });
  await database.query('drop table copied');
  expect(await backend()).toEqual(before);
});
