import { toUtf8, type CsvEncoding } from './csv-encoding.js';
import { countLines, csvLine, readRow, refuseFault } from './csv-rows.js';
import { pastedAddresses } from './pasted-addresses.js';

/** The meaning of a column of a file. */
export interface Mapping {
  /** The name in the file; empty in a file without names. */
  readonly name: string;
  readonly sample: string;
  readonly use: 'to' | 'variable' | 'nothing';
  /** Name of the variable. */
  readonly variable: string;
}

export interface CsvTable {
  /** The file as UTF-8. */
  readonly content: Blob;
  /** The encoding that the file had. */
  readonly encoding: CsvEncoding;
  readonly delimiter: string;
  readonly hasNames: boolean;
  readonly columns: readonly Mapping[];
  /** Length of the row with the names in `content`. */
  readonly headBytes: number;
  /** Of a pasted list: its rows. */
  readonly addresses?: readonly string[];
}

const ADDRESS_NAMES = /^(to|e-?mail|(e-?)?mail[ _-]?address|address)$/i;
/** Bytes to read: enough for the names and a row. */
const READ_BYTES = 65_536;

/** Reads the names of the columns and proposes a meaning for each. @throws CsvFault */
export async function readTable(file: Blob): Promise<CsvTable> {
  const { content, encoding } = await toUtf8(file);
  const text = await content.slice(0, READ_BYTES).text();
  const delimiter = delimiterOf(text);
  const first = readRow(text, 0, delimiter);
  refuseFault(first, 1);
  const second = readRow(text, first.end, delimiter);
  // Quotes that do not match may be closed later, in a field that is still being typed or was read in part.
  if (content.size <= READ_BYTES && second.fault !== 'quote')
    refuseFault(second, 1 + countLines(text.slice(0, first.end)));
  const hasNames = !first.fields.some((field) => field.includes('@'));
  const samples = hasNames ? second.fields : first.fields;
  const names = hasNames ? first.fields.map((name) => name.trim()) : first.fields.map(() => '');
  const address = addressColumn(names, samples);
  const columns = names.map((name, place): Mapping => ({
    name,
    sample: samples[place] ?? '',
    use: place === address ? 'to' : name === '' ? 'nothing' : 'variable',
    variable: place === address ? '' : variableOf(name),
  }));
  const headBytes = hasNames ? new TextEncoder().encode(text.slice(0, first.end)).length : 0;
  return { content, encoding, delimiter, hasNames, columns, headBytes };
}

/** Reads a pasted table, or a list of addresses as a table of one column. @throws CsvFault */
export function readPasted(text: string): Promise<CsvTable> {
  const addresses = pastedAddresses(text);
  return addresses === undefined ? readTable(new Blob([text])) : Promise.resolve(listTable(addresses));
}

function listTable(addresses: readonly string[]): CsvTable {
  const content = new Blob([addresses.map((address) => csvLine([address])).join('')]);
  const columns: readonly Mapping[] = [{ name: '', sample: addresses[0]!, use: 'to', variable: '' }];
  return { content, encoding: 'utf-8', delimiter: ',', hasNames: false, columns, headBytes: 0, addresses };
}

/** Converts the file for the service: with commas, and with columns named by their meaning. @throws CsvFault */
export async function toUpload({ content, delimiter, columns, headBytes }: CsvTable): Promise<Blob> {
  const names = columns.map(({ use, variable }) => (use === 'to' ? 'to' : use === 'variable' ? variable : ''));
  const head = csvLine(names);
  const rest = content.slice(headBytes);
  // The rest of a large file is sent unread.
  if (delimiter === ',') return new Blob([head, rest]);
  const text = await rest.text();
  const rows: string[] = [];
  let line = 1 + countLines(await content.slice(0, headBytes).text());
  for (let from = 0; from < text.length;) {
    const row = readRow(text, from, delimiter);
    refuseFault(row, line);
    rows.push(csvLine(row.fields));
    line += countLines(text.slice(from, row.end));
    from = row.end;
  }
  return new Blob([head, ...rows]);
}

/** Why the columns cannot be used, or undefined. */
export function mappingProblem(columns: readonly Mapping[]): string | undefined {
  if (columns.filter(({ use }) => use === 'to').length !== 1) return 'Choose the one column that has the addresses.';
  const names = columns.filter(({ use }) => use === 'variable').map(({ variable }) => variable.trim());
  if (names.includes('')) return 'Give each variable a name.';
  const repeated = names.find((name, place) => name === 'to' || names.indexOf(name) !== place);
  return repeated === undefined ? undefined : `The name ${repeated} is taken: choose another one.`;
}

function variableOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^_+|(?<!_)_+$/g, '');
}

/** The column that most likely has the addresses, or -1. A postal address has such a name, too. */
function addressColumn(names: readonly string[], samples: readonly string[]): number {
  const scores = names.map((name, place): number => {
    const sample = samples[place] ?? '';
    const isNamed = ADDRESS_NAMES.test(name);
    if (sample.includes('@')) return isNamed ? 4 : 2;
    return isNamed ? (sample === '' ? 3 : 1) : 0;
  });
  const best = Math.max(...scores);
  return best === 0 ? -1 : scores.indexOf(best);
}

/** The one that separates the most fields of the first row, whose names can have the others in quotation marks. */
function delimiterOf(text: string): string {
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: readRow(text, 0, delimiter).fields.length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}
