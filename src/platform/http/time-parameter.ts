import { InvalidFieldError } from '../errors/domain-error.js';

/** ISO 8601 with a time zone: without one, hosts in different zones would read different times. */
const ZONED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * Reads a time, or a date, which begins in UTC, of a query or a command.
 * @returns milliseconds since 1970
 * @throws InvalidFieldError
 */
export function readTime(field: string, value: unknown): number {
  const isDate = typeof value === 'string' && DATE.test(value) && hasDay(value);
  const time = isDate ? Date.parse(value) : parseZonedTime(value);
  if (time >= 0) return time;
  throw new InvalidFieldError(field, 'must be a time like 2026-03-01T09:30:00Z or a date like 2026-03-01');
}

/** @returns milliseconds since 1970, or NaN for anything but an ISO 8601 time with a time zone */
export function parseZonedTime(value: unknown): number {
  return typeof value === 'string' && ZONED_TIME.test(value) && hasDay(value) ? Date.parse(value) : NaN;
}

/** False for 31 February, which a `Date` takes for a day in March. @param value begins with a date in ISO 8601 */
function hasDay(value: string): boolean {
  const date = value.slice(0, 'yyyy-mm-dd'.length);
  const day = new Date(date);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
