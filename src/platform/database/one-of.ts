/** The condition that a column has one of the values. @param values constants of the code, which need no quoting */
export function isOneOf(column: string, values: readonly string[]): string {
  return `${column} in (${values.map((value) => `'${value}'`).join(', ')})`;
}
