import fc from 'fast-check';
import { csvRecipients, ndjsonRecipients, type ReadLine } from '../../src/broadcasts/recipients/recipient-lines.js';
import { csvLine } from '../../src/platform/csv/csv-text.js';

const anyText = fc
  .array(fc.constantFrom('a', 'é', '"', '\\', '\\u0000', '\0', '\n', '\u001f', '\u007f', '\u2028', ',', '{', '🙂'))
  .map((parts) => parts.join(''));
const anyName = fc.oneof(fc.constantFrom('name', '__proto__', 'constructor', '"', '\\', '1', 'a\0'), anyText);

async function one(lines: AsyncIterable<readonly ReadLine[]>): Promise<ReadLine['recipient'] | undefined> {
  const found: ReadLine[] = [];
  for await (const some of lines) found.push(...some);
  const recipient = found[0]?.recipient;
  return typeof recipient === 'object' ? { ...recipient, variables: sorted(recipient.variables!) } : recipient;
}

/** Postgres stores fields in its own order. */
function sorted(json: string): string {
  return JSON.stringify(Object.entries(JSON.parse(json) as object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function* upload(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

it('a row of a CSV file has the variables, or the mistake, of the same recipient as JSON', async () => {
  const anyRow = fc.uniqueArray(fc.tuple(anyName, anyText), { maxLength: 5, selector: ([name]) => name.trim() });
  await fc.assert(
    fc.asyncProperty(anyRow, async (cells) => {
      const named = cells.map(([name, value]) => [name.trim(), value] as const);
      const to = 'ada@example.com';
      const rows = [
        ['to', ...named.map(([name]) => name)],
        [to, ...named.map(([, value]) => value)],
      ];
      const variables = Object.fromEntries(named.filter(([name]) => name !== ''));
      const asJson = await one(ndjsonRecipients(upload(JSON.stringify({ to, variables }))));
      expect(await one(csvRecipients(upload(rows.map(csvLine).join(''))))).toEqual(asJson);
    }),
    { numRuns: 500 },
  );
});

it('variables of a row of 10,000 bytes as JSON are taken, those of one byte more are not', async () => {
  const row = (length: number) => one(csvRecipients(upload(`to,x\nada@example.com,${'x'.repeat(length)}\n`)));
  const most = 10_000 - '{"x":""}'.length;
  expect(await row(most)).toMatchObject({ key: 'ada@example.com' });
  expect(await row(most + 1)).toMatch(/^variables must be an object of at most 10000 bytes/);
});
