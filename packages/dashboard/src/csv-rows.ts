/** Why the rows of a file cannot be read. */
export class CsvFault extends Error {}

export interface CsvRow {
  readonly fields: readonly string[];
  /** The start of the next row. */
  readonly end: number;
  /** Why it is not one row. */
  readonly fault: 'quote' | 'carriage return' | undefined;
}

/**
 * Reads one row of CSV (RFC 4180) from a position, with the same rules as the service, which cannot see the original.
 */
export function readRow(text: string, from: number, delimiter: string): CsvRow {
  const fields: string[] = [];
  const outsideQuotes: string[] = [];
  for (let at = from; ; at++) {
    const closing = text[at] === '"' ? closingQuote(text, at + 1) : at;
    // A quote that never ends belongs to the field like any other character.
    const isQuoted = closing > at;
    const end = closing < 0 ? text.length : endOfField(text, isQuoted ? closing + 1 : at, delimiter);
    const rest = text.slice(isQuoted ? closing + 1 : at, end);
    const isClosed = isQuoted && rest.trim() === '';
    if (!isClosed && text.slice(at, end).includes('\n')) return { fields, end, fault: 'quote' };
    const inside = isQuoted ? text.slice(at + 1, closing).replaceAll('""', '"') : '';
    fields.push((inside + rest).replace(/\r$/, ''));
    outsideQuotes.push(rest);
    at = end;
    if (text[at] === delimiter) continue;
    const fault = outsideQuotes.join(delimiter).trimEnd().includes('\r') ? 'carriage return' : undefined;
    return { fields, end: Math.min(at + 1, text.length), fault };
  }
}

/** @throws CsvFault for a row with a fault: the rows after it would become the text of a field */
export function refuseFault({ fault }: CsvRow, line: number): void {
  if (fault === 'quote')
    throw new CsvFault(
      `Line ${line} begins a field of several lines whose quotes do not match: is a quote missing there?`,
    );
  if (fault === 'carriage return')
    throw new CsvFault(
      `From line ${line} on, rows end with a carriage return alone: save the file with line feeds, as CSV (UTF-8)`,
    );
}

/** One row as the service reads it. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map(quoted).join(',')}\n`;
}

export function countLines(text: string): number {
  return text.split('\n').length - 1;
}

function quoted(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** @param from position after the opening quote */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function endOfField(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
  return at;
}
