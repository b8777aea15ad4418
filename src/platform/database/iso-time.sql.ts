/**
 * A time as ISO 8601 in UTC with milliseconds, the format of all times in the API, for JSON that Postgres builds: by
 * itself it writes `+00:00` and drops zeros.
 * @param time an SQL expression
 */
export function isoTime(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
