import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');
const ENTITIES = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.entity.ts'),
);

/** A check with the values of a column, as `in ('a', 'b')`, `'{a,b}'` or a union of two texts. */
const SPELLED_OUT = /\bin \('|'\{\w+,|!: '[\w-]+' \|/;

it('no entity spells out the values of a column: its check and type derive from a list in the folder of its noun', () => {
  expect(ENTITIES.length).toBeGreaterThan(20);
  expect(ENTITIES.filter((file) => SPELLED_OUT.test(readFileSync(join(SOURCES, file), 'utf8')))).toEqual([]);
});
