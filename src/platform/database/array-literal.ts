/*
 * Formats arrays for Postgres (PostgreSQL manual, Arrays, Array Value Input). The driver checks the type of each
 * element and escapes it, which takes five times as long for thousands of elements.
 */

const SPECIAL = /["\\]/;
const ALL_SPECIAL = /["\\]/g;

/** For numbers, UUIDs and other values that contain only letters, digits and dashes. */
export function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

/** For arbitrary strings. */
export function textArray(values: readonly string[]): string {
  if (values.length === 0) return '{}';
  return `{"${values.map(escaped).join('","')}"}`;
}

/** For arbitrary strings, some of which may be absent. */
export function nullableTextArray(values: readonly (string | null | undefined)[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'null' : `"${escaped(value)}"`)).join(',')}}`;
}

function escaped(value: string): string {
  return SPECIAL.test(value) ? value.replace(ALL_SPECIAL, '\\$&') : value;
}
