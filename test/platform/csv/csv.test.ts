import fc from 'fast-check';
import { CsvReader } from '../../../src/platform/csv/csv-reader.js';
import { csvLine, guardFormula, unguardFormula } from '../../../src/platform/csv/csv-text.js';

const anyCell = fc
  .array(fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', ' ', '=', "'", '+', '\ufeff', '🙂'), { maxLength: 6 })
  .map((parts) => parts.join(''));
const anyRow = fc.array(anyCell, { minLength: 1, maxLength: 4 });

function read(pieces: readonly string[]): { line: number; fields: readonly string[] }[] {
  const reader = new CsvReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/** The rows until the reader fails, and how it fails. */
function rowsAndFailure(pieces: readonly string[]): unknown[] {
  const reader = new CsvReader();
  const rows: unknown[] = [];
  try {
    for (const piece of pieces) rows.push(...reader.push(piece));
    rows.push(...reader.end());
  } catch (error) {
    rows.push((error as Error).message);
  }
  return rows;
}

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

describe('CSV', () => {
  it('reads what it wrote, in pieces of any length, with the line of each row', () => {
    fc.assert(
      fc.property(fc.array(anyRow), fc.array(fc.nat()), (rows, cuts) => {
        const isEmpty = (row: readonly string[]) => row.length === 1 && row[0] === '';
        const written = rows.filter((row) => !isEmpty(row));
        let line = 1;
        const expected = written.map((fields) => {
          const row = { line, fields };
          line += csvLine(fields).split('\n').length - 1;
          return row;
        });
        const text = `\ufeff${written.map(csvLine).join('')}`;
        expect(read(cut(text, cuts))).toEqual(expected);
      }),
    );
  });

  it('reads any text the same way whole and in pieces', () => {
    const anyText = fc.array(anyCell).map((cells) => cells.join(''));
    fc.assert(
      fc.property(anyText, fc.array(fc.nat()), (text, cuts) =>
        expect(rowsAndFailure(cut(text, cuts))).toEqual(rowsAndFailure([text])),
      ),
    );
  });

  it.each([
    [
      'a,b\n\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      '5" wide,x\ny,z',
      [
        ['5" wide', 'x'],
        ['y', 'z'],
      ],
    ],
    ['"a"b,c\n', [['ab', 'c']]],
    ['"a,b', [['"a,b']]],
    ['"a""\nb",c\nd', [['a"\nb', 'c'], ['d']]],
    [',\n', [['', '']]],
    ['a\r\nb', [['a'], ['b']]],
  ])('%j', (text, rows) => expect(read([text]).map(({ fields }) => fields)).toEqual(rows));

  it('refuses a row that never ends, and names its line', () => {
    expect(() => read(['a\n', '"', 'x'.repeat(70_000)])).toThrow(/Line 2/);
    expect(() => read([`a\n${'x'.repeat(70_000)}\nb\n`])).toThrow(/Line 2/);
  });

  it.each([
    ['that never ends', 'to,name\na@example.com,"Ann\nb@example.com,Bob\n'],
    ['that ends within another row', 'to,name\na@example.com,"Ann\nb@example.com,"Bob"\nc@example.com,Cy\n'],
  ])('refuses a field %s instead of taking the rows after it for its text', (_, text) => {
    const [header, failure, ...others] = rowsAndFailure([text]);
    expect(header).toEqual({ line: 1, fields: ['to', 'name'] });
    expect([failure, others]).toEqual([expect.stringMatching(/Line 2 .* quote/), []]);
  });

  it.each([
    ['in all rows', 'to,name\ra@example.com,Ann\rb@example.com,Bob\r', 1],
    ['after the first row', 'to,name\na@example.com,Ann\rb@example.com,Bob\r', 2],
    ['after a quoted field', 'to,name\na@example.com,"Ann"\rb@example.com,"Bob"\r', 2],
    ['after a quote that never ends', 'to,name\na@example.com,"Ann\rb@example.com,Bob\r', 2],
    ['in a long file', `to,name\n${'a@example.com,"Ann"\r'.repeat(5_000)}`, 2],
  ])('refuses a carriage return that ends rows %s, and names its line', (_, text, line) => {
    const rows = rowsAndFailure([text]);
    expect(rows).toHaveLength(line);
    expect(rows.at(-1)).toMatch(`From line ${line} on, rows end with a carriage return alone`);
  });

  it('reads a carriage return within quotes', () => {
    expect(read(['to,"First\rname"\r\na@example.com,"A\r""B\r"\r\n']).map(({ fields }) => fields)).toEqual([
      ['to', 'First\rname'],
      ['a@example.com', 'A\r"B\r'],
    ]);
  });

  it('escapes every cell that a spreadsheet would run as a formula, and reads every cell back', () => {
    fc.assert(
      fc.property(anyCell, (cell) => {
        const guarded = guardFormula(cell);
        expect(guarded).not.toMatch(/^[=+\-@\t\r]/);
        expect(unguardFormula(guarded)).toBe(cell);
      }),
    );
  });
});
