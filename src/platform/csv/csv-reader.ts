import { DomainError } from '../errors/domain-error.js';

/** One row of a CSV file. */
export interface CsvRow {
  /** Line of the file where the row begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** A longer row is refused, because a quote that never ends would collect the rest of the file. */
const MAX_ROW = 65_536;

/** The reader cannot find the rows after such a row. */
class CsvRowTooLongError extends DomainError {
  constructor(line: number) {
    super('invalid', `Line ${line} begins a row of more than ${MAX_ROW} characters: is a quote missing there?`);
  }
}

/** Without the missing quote, the rows after it would become the text of a field. */
class CsvQuoteError extends DomainError {
  constructor(line: number) {
    super(
      'invalid',
      `Line ${line} begins a field of several lines whose quotes do not match: is a quote missing there?`,
    );
  }
}

/** The rows after it would become the text of one. Old versions of Excel for Mac write "CSV (Macintosh)" like this. */
class CarriageReturnError extends DomainError {
  constructor(line: number) {
    super(
      'invalid',
      `From line ${line} on, rows end with a carriage return alone: save the file with line feeds, as CSV (UTF-8)`,
    );
  }
}

type CsvError = CsvRowTooLongError | CsvQuoteError | CarriageReturnError;

const QUOTED_FIELD = /(^|,)"(?:[^"]|"")*"(?!")/g;
/** One before a NUL is in UTF-16, which readers of the first row report. */
const CARRIAGE_RETURN_ALONE = /\r(?![\n\0])/;

/**
 * Reads CSV (RFC 4180) that arrives in pieces of any length. Also accepts plain line feeds, a byte order mark, and
 * quotes inside of fields that do not begin with one. Skips empty lines.
 */
export class CsvReader {
  private rest = '';
  private line = 1;
  private isFirst = true;
  /** Thrown once the rows before the row at fault are read. */
  private failure: CsvError | undefined;

  /**
   * Returns the rows that are complete.
   * @throws CsvError after all rows before that row were returned
   */
  push(text: string): CsvRow[] {
    if (this.failure) throw this.failure;
    if (this.isFirst && text !== '') {
      this.isFirst = false;
      this.rest = text.startsWith('\ufeff') ? text.slice(1) : text;
    } else this.rest += text;
    const rows = this.take();
    if (this.rest.length > MAX_ROW) this.failure ??= tooLong(this.rest, this.line);
    if (this.failure && rows.length === 0) throw this.failure;
    return rows;
  }

  /** Returns the last row if no line end follows it. @throws CsvError */
  end(): CsvRow[] {
    const rows = this.failure || this.rest === '' ? [] : this.rowOf(this.rest);
    this.rest = '';
    if (this.failure) throw this.failure;
    return rows;
  }

  private take(): CsvRow[] {
    const rows: CsvRow[] = [];
    const text = this.rest;
    let from = 0;
    // Most files have no quotes, so the next one is searched for once, not for each row.
    let quote = text.indexOf('"');
    for (;;) {
      if (quote >= 0 && quote < from) quote = text.indexOf('"', from);
      const newline = text.indexOf('\n', from);
      const end = quote < 0 || newline < quote ? newline : endOfQuotedRow(text, from);
      if (end < 0) break;
      if (end - from > MAX_ROW) {
        this.failure = tooLong(text.slice(from, end), this.line);
        break;
      }
      rows.push(...this.rowOf(text.slice(from, end)));
      if (this.failure) break;
      from = end + 1;
      this.line++;
    }
    this.rest = text.slice(from);
    return rows;
  }

  /** Returns the row, or none for an empty line and for a failure. Counts the line feeds inside of it. */
  private rowOf(text: string): CsvRow[] {
    const { line } = this;
    const row = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (row === '') return [];
    if (endsRows(row)) {
      this.failure = new CarriageReturnError(line);
      return [];
    }
    if (!row.includes('"')) return [{ line, fields: row.split(',') }];
    for (let at = row.indexOf('\n'); at >= 0; at = row.indexOf('\n', at + 1)) this.line++;
    const fields = quotedFieldsOf(row);
    if (fields) return [{ line, fields }];
    this.failure = new CsvQuoteError(line);
    return [];
  }
}

/** Why there are no rows from a row of that length on. */
function tooLong(row: string, line: number): CsvError {
  return endsRows(row) ? new CarriageReturnError(line) : new CsvRowTooLongError(line);
}

/** True if it contains a carriage return that may end rows: outside of quotes, and without a line feed. */
function endsRows(row: string): boolean {
  const text = row.trimEnd();
  return text.includes('\r') && CARRIAGE_RETURN_ALONE.test(text.replace(QUOTED_FIELD, '$1'));
}

/** Position of the line feed that ends the row, or -1 if it has not arrived. */
function endOfQuotedRow(text: string, from: number): number {
  let newline = text.indexOf('\n', from);
  for (let at = from; ;) {
    // Not for each quote, because a row can have tens of thousands of them.
    if (newline >= 0 && newline < at) newline = text.indexOf('\n', at);
    const quote = text.indexOf('"', at);
    if (quote < 0 || (newline >= 0 && newline < quote)) return newline;
    // A quote is special only at the start of a field.
    const isOpening = quote === from || text[quote - 1] === ',';
    const closing = isOpening ? closingQuote(text, quote + 1) : quote;
    if (closing < 0) return -1;
    at = closing + 1;
  }
}

/** @param from position after the opening quote */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** Undefined if a field of several lines does not end with its closing quote. */
function quotedFieldsOf(row: string): string[] | undefined {
  const fields: string[] = [];
  for (let from = 0; from <= row.length;) {
    const closing = row[from] === '"' ? closingQuote(row, from + 1) : from;
    // A quote that never ends belongs to the field like any other character.
    const comma = closing < 0 ? -1 : row.indexOf(',', closing);
    const end = comma < 0 ? row.length : comma;
    const isQuoted = closing > from;
    const isClosed = closing >= from && row.slice(closing + 1, end).trim() === '';
    if (!isClosed && row.slice(from, end).includes('\n')) return undefined;
    fields.push(
      isQuoted
        ? row.slice(from + 1, closing).replaceAll('""', '"') + row.slice(closing + 1, end)
        : row.slice(from, end),
    );
    from = end + 1;
  }
  return fields;
}
