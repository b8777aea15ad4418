/** SQL: whole milliseconds until a time, rounded up; zero or less once it has come. @param time an SQL expression */
export function millisecondsUntil(time: string): string {
  return `ceil(extract(epoch from ${time} - now()) * 1000)::float8`;
}
