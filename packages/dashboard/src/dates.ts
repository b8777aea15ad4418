const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** The filters that are times. Others can look like a day: a tag, or a subject. */
const TIMES = ['since', 'until'];

/** The filters of a list with each day as the instant at which it begins for the reader, whose times the rows show. */
export function withInstants(filters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      TIMES.includes(name) && DAY.test(value) ? beginningOf(value) : value,
    ]),
  );
}

/** The service refuses a day that no calendar has, and says why. */
function beginningOf(day: string): string {
  const time = new Date(`${day}T00:00`);
  return Number.isNaN(time.getTime()) ? day : time.toISOString();
}

/** The format of an input of the type `datetime-local`. */
export function toLocalInput(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
