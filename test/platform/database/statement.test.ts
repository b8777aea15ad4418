import type { Sql } from '../../../src/platform/database/database.js';
import { Statement } from '../../../src/platform/database/statement.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase(1);
});
afterAll(() => opened.close());

const read = new Statement(
  'read-parameters',
  { word: 'text', day: 'timestamptz', absent: 'integer?', words: 'text[]' },
  `
-- Not a parameter :here, and a cast is none either.
select :word || '!' as word, :absent as absent, cardinality(:words)::text as words, :day::date::text as day, :word as again`,
);

describe('a statement with named parameters', () => {
  it('binds each value to its name, wherever and however often the name occurs', async () => {
    const values = { words: ['a', 'b', 'c'], word: 'hello', absent: null, day: new Date('2026-01-02T12:00:00Z') };
    expect(await read.run(opened.database, values)).toEqual([
      { word: 'hello!', absent: null, words: '3', day: '2026-01-02', again: 'hello' },
    ]);
  });

  it('is the same text for each call, under its name, without its comments', async () => {
    const calls: unknown[] = [];
    const sql = { prepared: (...call: unknown[]) => Promise.resolve(calls.push(call) ? [] : []) } as unknown as Sql;
    const pair = new Statement('pair', { a: 'integer', b: 'uuid[]' }, '-- Both.\nselect :b, :a, :a');
    await pair.run(sql, { a: 1, b: [] });
    expect(calls).toEqual([['pair', 'select $2::uuid[], $1::integer, $1::integer', [1, []]]]);
  });

  it('does not load when its SQL and its declaration differ', () => {
    expect(() => new Statement('s', { a: 'text' }, 'select :a, :b')).toThrow('does not declare its parameter :b');
    expect(() => new Statement('s', { a: 'text', c: 'text' }, 'select :a')).toThrow('does not use :c');
  });

  it('does not compile with a value that is missing, unknown or of another type', () => {
    const one = new Statement('one', { a: 'text', b: 'integer?' }, 'select :a, :b');
    const calls = [
      // @ts-expect-error b is missing
      () => one.run(opened.database, { a: '' }),
      // @ts-expect-error c is unknown
      () => one.run(opened.database, { a: '', b: 1, c: 2 }),
      // @ts-expect-error a may not be null
      () => one.run(opened.database, { a: null, b: null }),
      // @ts-expect-error b is a number
      () => one.run(opened.database, { a: '', b: '1' }),
    ];
    expect(calls).toHaveLength(4);
  });
});
