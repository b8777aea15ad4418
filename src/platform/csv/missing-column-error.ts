import { DomainError } from '../errors/domain-error.js';

const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
] as const;

/** The first row of a CSV file lacks a column. */
export class MissingColumnError extends DomainError {
  constructor(name: string, header: readonly string[]) {
    const separator = otherSeparatorOf(header);
    const hint = separator && `. Its fields seem to be separated by ${separator}: separate them with commas`;
    super('invalid', `The first row must name the columns, and one of them must be ${name}${hint ?? ''}`);
  }
}

/** Spreadsheets write semicolons in countries with a decimal comma, and tabs when rows are copied. */
function otherSeparatorOf(header: readonly string[]): string | undefined {
  const text = header.join(',');
  const count = (separator: string): number => text.split(separator).length - 1;
  return OTHER_SEPARATORS.find(([separator]) => count(separator) > count(','))?.[1];
}
