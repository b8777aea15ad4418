import fc from 'fast-check';
import { plainArray, textArray } from '../../../src/platform/database/array-literal.js';
import { Database } from '../../../src/platform/database/database.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase } from '../../support/services.js';

let database: Database;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const { url, drop } = await createTestDatabase();
  database = await openDatabase(url, 1);
  closers.push(
    () => database.pool.end(),
    () => drop(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

async function read(type: string, text: string): Promise<unknown> {
  const [row] = await database.query<{ list: string }>(`select array_to_json($1::${type}[])::text as list`, [text]);
  return JSON.parse(row!.list);
}

// Postgres knows no NUL in texts, and no half of a surrogate pair.
const texts = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes('\0'));

it('writes texts that Postgres reads back', async () => {
  const awkward = fc.constantFrom('', 'null', 'NULL', '{', '}', ',', '"', '\\', '\\"', ' a ', '\n');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(texts, awkward)), async (values) => {
      expect(await read('text', textArray(values))).toEqual(values);
    }),
  );
});

it('writes numbers and UUIDs that Postgres reads back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uuid()), fc.array(fc.maxSafeInteger()), async (ids, numbers) => {
      expect(await read('uuid', plainArray(ids))).toEqual(ids);
      expect(await read('bigint', plainArray(numbers))).toEqual(numbers);
    }),
  );
});
