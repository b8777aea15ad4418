const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
/** Spreadsheets run a cell that begins like this as a formula (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** One row as text (RFC 4180). */
export function csvLine(fields: readonly string[]): string {
  const quoted = fields.map((field) => (NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return `${quoted.join(',')}\r\n`;
}

/** Prefixes a cell that a spreadsheet would run as a formula with an apostrophe. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Removes the apostrophe of `guardFormula`. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
