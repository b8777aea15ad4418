import fc from 'fast-check';
import { readPasted, readTable, toUpload, type CsvTable } from '../../packages/dashboard/src/csv-columns.js';
import { pastedAddresses } from '../../packages/dashboard/src/pasted-addresses.js';
import { csvRecipients, type ReadLine } from '../../src/broadcasts/recipients/recipient-lines.js';
import { formatMailbox } from '../../src/emails/mailbox.js';

const [ADA, BOB, CY] = ['ada@example.com', 'bob@example.com', 'cy@example.com'];

/** What the service stores of a table, in its order. */
async function stored(table: CsvTable): Promise<readonly string[]> {
  const lines: ReadLine[] = [];
  for await (const read of csvRecipients((await toUpload(table)).stream())) lines.push(...read);
  return lines.map(({ recipient }) => (typeof recipient === 'string' ? 'invalid' : recipient.address));
}

async function storedOf(text: string): Promise<readonly string[]> {
  return stored(await readPasted(text));
}

describe('pasted addresses', () => {
  it.each([
    ['commas', `${ADA}, ${BOB},${CY},`],
    ['semicolons', `${ADA}; ${BOB};${CY}`],
    ['spaces', `${ADA} ${BOB}   ${CY} `],
    ['tabs', `${ADA}\t${BOB}\t${CY}`],
    ['line ends', `\uFEFF${ADA}\r\n\r\n  ${BOB}\r\n${CY}`],
    ['commas and line ends', `${ADA},\n${BOB},\n${CY},\n`],
    ['quotes as in CSV', `"${ADA}","${BOB}","${CY}"`],
    ['quotes as in CSV and line ends', `"${ADA}"\n"${BOB}"\n"${CY}"\n`],
    ['quotes as in SQL', `'${ADA}', '${BOB}', '${CY}'`],
    ['quotes as in SQL and line ends', `'${ADA}',\n'${BOB}',\n'${CY}'`],
  ])('with %s between them are a list', async (_, text) => {
    expect(pastedAddresses(text)).toEqual([ADA, BOB, CY]);
    expect(await storedOf(text)).toEqual([ADA, BOB, CY]);
  });

  it.each([
    ['on one line', ', '],
    ['on a line each', '\n'],
    ['on a line each that ends with a comma', ',\n'],
    ['between semicolons', '; '],
  ])('keep their names, which can have separators: %s', async (_, separator) => {
    const named = [`"Lovelace, \\"Ada\\"; x" <${ADA}>`, `O"Brien <${BOB}>`, `Cy "C" (Sales) <${CY}>`, `Bob <${BOB}>`];
    expect(await storedOf(named.join(separator))).toEqual([
      `"Lovelace, \\"Ada\\"; x" <${ADA}>`,
      `"O\\"Brien" <${BOB}>`,
      `"Cy \\"C\\" (Sales)" <${CY}>`,
      `Bob <${BOB}>`,
    ]);
  });

  it.each([
    ['on one line', `Lovelace, Ada <${ADA}>; Smith, Bob <${BOB}>; ${CY}`],
    ['on a line each', `Lovelace, Ada <${ADA}>;\nSmith, Bob <${BOB}>;\n${CY};`],
    ['in quotes as in CSV', `"Lovelace, Ada <${ADA}>"\n"""Smith, Bob"" <${BOB}>"\n${CY}\n`],
  ])('keep names with commas as Outlook copies them: %s', async (_, text) => {
    expect(await storedOf(text)).toEqual([`"Lovelace, Ada" <${ADA}>`, `"Smith, Bob" <${BOB}>`, CY]);
  });

  it.each([`Ada <${ADA}> Bob <${BOB}>`, `${ADA} Bob <${BOB}>`])('without a comma are bad: %s', async (text) => {
    expect(await storedOf(text)).toEqual(['invalid']);
  });

  it('are a list with what is no address, so that it is reported', () => {
    const wrong = ['b ob@example.com', 'bob@@example.com', `"${BOB}`];
    expect(pastedAddresses(`${ADA}, ${wrong[0]};${CY} ${wrong[1]}, ${wrong[2]}`)).toEqual([
      ...[ADA, wrong[0], CY, wrong[1], wrong[2]],
    ]);
  });

  it.each([
    ['nothing', ''],
    ['a table', `email,name\n${ADA},Ada\n`],
    ['a table without names of columns', `${ADA},Ada\n${BOB},Bob\n`],
    ['a row of a table', `${ADA},Ada`],
    ['two columns of addresses', `${ADA},${CY}\n${BOB},${CY}\n`],
    ['two columns of addresses, some empty', `${ADA},${CY}\n${BOB},\n`],
    ['two columns of addresses with a name in quotation marks', `"Lovelace, Ada" <${ADA}>,${CY}\n${BOB},${CY}\n`],
    ['two columns between semicolons', `Ada <${ADA}>;Cy <${CY}>\nBob <${BOB}>;Cy <${CY}>\n`],
    ['a column of accounts', `${ADA},@ada`],
    ['a column of profiles', `${ADA},https://social.example/@ada`],
  ])('are no list: %s', (_, text) => {
    expect(pastedAddresses(text)).toBeUndefined();
  });

  it('are no list where a quote never ends, however long the text after it is', () => {
    const escaped = '\\"'.repeat(500_000);
    expect(pastedAddresses(`${ADA}, "${escaped}, ${BOB}`)).toBeUndefined();
    expect(pastedAddresses(`${ADA}, ${BOB}${escaped}, "${CY}`)).toHaveLength(3);
  });

  it('are what the service stores, whatever their names', async () => {
    const address = fc.integer({ min: 1, max: 9_999 }).map((number) => `reader${number}@example.com`);
    const character = fc.constantFrom('A', 'ö', ' ', ',', ';', '"', '\\', "'", '<', '>', '@', '(', '.');
    const name = fc.string({ unit: character, maxLength: 12 }).map((text) => text.trim());
    const mailboxes = fc.array(fc.record({ address, name }), { minLength: 1, maxLength: 8 });
    const separator = fc.constantFrom(',', ', ', ';', '; ', '\t', '\n', '\r\n', ',\n', ';\n');
    await fc.assert(
      fc.asyncProperty(mailboxes, separator, async (people, between) => {
        const written = people.map(formatMailbox);
        expect(await storedOf(written.join(between))).toEqual(written);
      }),
    );
  });

  it('are the same as in a table of several lines without a fault', async () => {
    const texts = [
      ADA,
      BOB,
      `Bob <${BOB}>`,
      `"Bob, B" <${BOB}>`,
      `<${CY}>`,
      `Bob, B <${BOB}>`,
      'Cy',
      '@cy',
      "'",
      ' ',
      '',
    ];
    const field = fc.constantFrom(...texts);
    const cell = fc.oneof(
      field,
      field.map((text) => `"${text.replaceAll('"', '""')}"`),
    );
    const separator = fc.constantFrom(',', ';', '\t', ', ');
    const line = fc.tuple(fc.array(cell, { minLength: 1, maxLength: 3 }), separator).map((row) => row[0].join(row[1]));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 2, maxLength: 4 }), async (lines) => {
        fc.pre(lines.filter((one) => one.trim() !== '').length > 1);
        const text = lines.join('\n');
        const recipients = await readTable(new Blob([text]))
          .then(stored)
          .catch(() => ['invalid']);
        fc.pre(!recipients.includes('invalid'));
        expect(await storedOf(text)).toEqual(recipients);
      }),
      { numRuns: 60 },
    );
  });
});
