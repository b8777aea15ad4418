import { InvalidFieldError } from '../errors/domain-error.js';

/** ISO 8601 with a time zone, or a date, which begins in UTC. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Reads a time of a query or a command. @returns milliseconds since 1970. @throws InvalidFieldError */
export function readTime(field: string, value: unknown): number {
  const time = typeof value === 'string' && TIME.test(value) && hasDay(value) ? Date.parse(value) : NaN;
  if (time >= 0) return time;
  throw new InvalidFieldError(field, 'must be a time like 2026-03-01T09:30:00Z or a date like 2026-03-01');
}

/** False for 31 February, which a `Date` takes for a day in March. @param value begins with a date in ISO 8601 */
export function hasDay(value: string): boolean {
  const date = value.slice(0, 'yyyy-mm-dd'.length);
  const day = new Date(date);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
