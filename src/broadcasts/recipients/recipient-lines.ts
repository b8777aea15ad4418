import { CsvReader, type CsvRow } from '../../platform/csv/csv-reader.js';
import { unguardFormula } from '../../platform/csv/csv-text.js';
import { MissingColumnError } from '../../platform/csv/missing-column-error.js';
import { RepeatedColumnError } from '../../platform/csv/repeated-column-error.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { decodedPieces } from '../../platform/http/utf8-pieces.js';
import { MAX_RECIPIENT_BYTES, readNewRecipient, readTextRecipient, type NewRecipient } from './new-recipient.js';

/** One recipient of an upload, or why it is invalid. */
export interface ReadLine {
  readonly line: number;
  readonly recipient: NewRecipient | string;
}

/** Longer lines are invalid, and are not kept: a stream without line feeds would be collected in memory. */
const MAX_LINE = 65_536;

/** Rows of a CSV file that become recipients at once: a recipient may be a thousand times as long as its row. */
const GROUP = 100;

const NOT_UTF8 = 'The line is not UTF-8';
/** Values after an unquoted comma would be those of other variables. */
const TOO_MANY_VALUES =
  'The row has more values than the first row has columns: is a value with a comma not in quotes?';

class HeaderEncodingError extends DomainError {
  constructor() {
    super('invalid', 'The first row is not UTF-8: save the file with this encoding');
  }
}

/** Every row has all variables, at least as empty strings. */
class TooManyColumnsError extends DomainError {
  constructor() {
    super('invalid', `The first row names too many columns: a row would have more than ${MAX_RECIPIENT_BYTES} bytes`);
  }
}

/** Reads a list of recipients. */
export function* listedRecipients(recipients: readonly unknown[]): Generator<readonly ReadLine[]> {
  yield recipients.map((recipient, index) => ({ line: index + 1, recipient: readNewRecipient(recipient) }));
}

/** Reads recipients as JSON, one on each line. Skips empty lines. */
export async function* ndjsonRecipients(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly ReadLine[]> {
  let rest = '';
  let line = 0;
  const readAll = (texts: readonly string[]): ReadLine[] =>
    texts.flatMap((text) => {
      line++;
      return text.trim() === '' ? [] : [{ line, recipient: readJson(text) }];
    });
  for await (const text of decodedPieces(pieces)) {
    const texts = (rest + text).split('\n');
    // The beginning of a line that is too long still shows that it is.
    rest = texts.pop()!.slice(0, MAX_LINE + 1);
    yield readAll(texts);
  }
  yield readAll([rest]);
}

/** Reads recipients as CSV: the first row names the columns; all except `to` are variables. @throws DomainError */
export async function* csvRecipients(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly ReadLine[]> {
  const reader = new CsvReader();
  let columns: Columns | undefined;
  const readAll = (rows: readonly CsvRow[]): ReadLine[] =>
    rows.flatMap((row) => {
      if (columns) return [{ line: row.line, recipient: readRow(row, columns) }];
      columns = readHeader(row.fields);
      return [];
    });
  for await (const text of decodedPieces(pieces)) {
    const rows = reader.push(text);
    for (let from = 0; from < rows.length; from += GROUP) yield readAll(rows.slice(from, from + GROUP));
  }
  yield readAll(reader.end());
  // An empty file also lacks a header.
  columns ??= readHeader([]);
}

function readJson(text: string): NewRecipient | string {
  if (text.length > MAX_LINE) return `The line has more than ${MAX_LINE} characters`;
  if (!text.isWellFormed()) return NOT_UTF8;
  try {
    return readNewRecipient(JSON.parse(text));
  } catch {
    return 'The line is not valid JSON';
  }
}

/** Columns of a file, by their positions. */
interface Columns {
  readonly count: number;
  readonly to: number;
  readonly variables: readonly number[];
  /** The names of the variables, each as JSON. */
  readonly names: readonly string[];
}

/**
 * A column without a name is ignored.
 * @throws HeaderEncodingError, TooManyColumnsError, MissingColumnError, RepeatedColumnError
 */
function readHeader(header: readonly string[]): Columns {
  if (!isUtf8(header)) throw new HeaderEncodingError();
  const names = header.map((name) => (/^\s*to\s*$/i.test(name) ? 'to' : name.trim()));
  if (emptyRowBytes(names) > MAX_RECIPIENT_BYTES) throw new TooManyColumnsError();
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (repeated !== undefined) throw new RepeatedColumnError(repeated);
  const to = names.indexOf('to');
  if (to < 0) throw new MissingColumnError('to', header);
  const variables = [...names.keys()].filter((index) => index !== to && names[index] !== '');
  return { count: names.length, to, variables, names: variables.map((index) => JSON.stringify(names[index])) };
}

/** The bytes of the variables of a row without values, as JSON. */
function emptyRowBytes(names: readonly string[]): number {
  const fields = names.filter((name) => name !== '' && name !== 'to').map((name) => `${JSON.stringify(name)}:""`);
  return Buffer.byteLength(`{${fields.join()}}`);
}

function readRow({ fields }: CsvRow, { count, to, variables, names }: Columns): NewRecipient | string {
  if (!isUtf8(fields)) return NOT_UTF8;
  // Spreadsheets may end rows with empty fields.
  for (let index = count; index < fields.length; index++) if (fields[index]!.trim() !== '') return TOO_MANY_VALUES;
  const address = unguardFormula((fields[to] ?? '').trim());
  const values = variables.map((index) => fields[index] ?? '');
  return readTextRecipient(address, names, values);
}

/** @param fields from `decodedPieces` */
function isUtf8(fields: readonly string[]): boolean {
  return fields.every((field) => field.isWellFormed());
}
