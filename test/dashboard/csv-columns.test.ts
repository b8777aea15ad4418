import { readTable, toUpload } from '../../packages/dashboard/src/csv-columns.js';

const LINES = 'email,Prénom\nada@example.com,Ada\nrene@example.com,René\n';
const UPLOADED = 'to,Prénom\nada@example.com,Ada\nrene@example.com,René\n';

async function upload(file: Buffer): Promise<string> {
  return (await toUpload(await readTable(new Blob([file])))).text();
}

describe('a CSV file of recipients', () => {
  it.each([
    ['UTF-8', Buffer.from(LINES)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${LINES}`)],
    ['Windows-1252', Buffer.from(LINES, 'latin1')],
    ['Windows-1252 with semicolons', Buffer.from(LINES.replaceAll(',', ';'), 'latin1')],
    ['UTF-16', Buffer.from(`\uFEFF${LINES}`, 'utf16le')],
  ])('arrives as UTF-8 with every address whole: %s', async (_, file) => {
    expect(await upload(file)).toBe(UPLOADED);
  });

  it('keeps every address whole if only its last row shows that it is not UTF-8', async () => {
    const rows = Array.from({ length: 10_000 }, (_, number) => `reader${number}@example.com,Ada\n`).join('');
    const file = Buffer.from(`email,name\n${rows}rene@example.com,Ren\u00e9\n`, 'latin1');
    expect(await upload(file)).toBe(`to,name\n${rows}rene@example.com,René\n`);
  });

  it('keeps the first address of a file without names', async () => {
    expect(await upload(Buffer.from('\uFEFFada@example.com,Ada\n'))).toBe('to,\nada@example.com,Ada\n');
  });

  it.each([
    ['UTF-8', Buffer.from(LINES)],
    ['windows-1252', Buffer.from(LINES, 'latin1')],
  ])('knows its encoding: %s', async (name, file) => {
    expect((await readTable(new Blob([file]))).encoding.toLowerCase()).toBe(name.toLowerCase());
  });

  it.each([
    ['within another row', 'to;name\na@example.com;"Ann\nb@example.com;"Bob"\nc@example.com;Cy\n', 2],
    ['never', 'to;"first\nname"\na@example.com;Ann\nb@example.com;"Bob\nc@example.com;Cy\n', 4],
    ['before other text', 'to\tname\na@example.com\t"Ann\nb@example.com\tBob"x\n', 2],
  ])('is refused with the line if a quote ends %s, which would hide the rows after it', async (_, file, line) => {
    await expect(upload(Buffer.from(file))).rejects.toThrow(`Line ${line} begins a field of several lines`);
  });

  it.each([
    ['without names', 'ada@example.com,Ada\rbob@example.com,Bob\r', 1],
    ['after the names', 'to,name\nada@example.com,Ada\rbob@example.com,Bob\r', 2],
    ['later', 'to;name\nada@example.com;Ada\nbob@example.com;"Bob"\rcy@example.com;Cy\r', 3],
  ])('is refused if rows end with a carriage return alone: %s', async (_, file, line) => {
    const message = `From line ${line} on, rows end with a carriage return alone`;
    await expect(upload(Buffer.from(file))).rejects.toThrow(message);
  });

  it('keeps line ends within quotes, and a quote that never ends in the last row', async () => {
    const rows = 'ada@example.com;"Ada\r\nLovelace"\r\nbob@example.com;"B\rob" \r\ncy@example.com;"Cy';
    expect(await upload(Buffer.from(`to;"first\rname"\r\n${rows}`))).toBe(
      'to,first_name\nada@example.com,"Ada\r\nLovelace"\nbob@example.com,"B\rob "\ncy@example.com,"""Cy"\n',
    );
  });

  it.each([
    ['a name has commas', '"Name (last, first, title)";E-Mail\n"Lovelace, Ada";ada@example.com\n', 1],
    ['a name has line breaks', '"First\nname";E-Mail\nAda;ada@example.com\n', 1],
    ['a postal address comes first', 'Address,Email\n12 Main Street,ada@example.com\n', 1],
    ['its first row lacks the address', 'Email,Note\n,call @ada\n', 0],
  ])('is read by its columns although %s', async (_, file, address) => {
    const { columns } = await readTable(new Blob([file]));
    expect(columns.map(({ use }) => use === 'to')).toEqual([0, 1].map((place) => place === address));
  });
});
