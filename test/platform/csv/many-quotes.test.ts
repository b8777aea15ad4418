import { CsvReader } from '../../../src/platform/csv/csv-reader.js';
import { processorTime } from '../../support/processor-time.js';

const PIECE = 16 * 1024;
const ROWS = 40;

it.each([
  ['within a field', `a${'"'.repeat(65_000)}`],
  ['within fields', 'a",'.repeat(21_000)],
])('a row of tens of thousands of quotes %s takes no quadratic time', (_, row) => {
  const reader = new CsvReader();
  const text = `${row}\n`.repeat(ROWS);
  const spentMs = processorTime();
  let rows = 0;
  for (let at = 0; at < text.length; at += PIECE) rows += reader.push(text.slice(at, at + PIECE)).length;
  expect(rows).toBe(ROWS);
  // A tenth of a second, but 1.7 s if each quote searches for the end of the row.
  expect(spentMs()).toBeLessThan(900);
});
