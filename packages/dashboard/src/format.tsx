import { useToday } from './today';

const counts = new Intl.NumberFormat();
const percents = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const sizes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const thisYear = new Intl.DateTimeFormat(undefined, {
  ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
});
const today = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function formatCount(value: number): string {
  return counts.format(value);
}

/** @param value per 100 */
export function formatPercent(value: number): string {
  return `${percents.format(value)} %`;
}

/** A number with up to two decimals. */
export function formatRatio(value: number): string {
  return percents.format(value);
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${sizes.format(value)} ${units[unit]}`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return `${sizes.format(seconds / 3_600)} h`;
}

/** A time in the zone of the reader; UTC on hover. */
export function Time({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  const day = useToday();
  if (!at) return <span class="muted">{none}</span>;
  const date = new Date(at);
  const isToday = date.toDateString() === day;
  const format = isToday ? today : date.getFullYear() === new Date(day).getFullYear() ? thisYear : times;
  return (
    <time dateTime={at} title={date.toISOString().replace('T', ' ').replace('Z', ' UTC')}>
      {format.format(date)}
    </time>
  );
}

/** "1 email", "2 emails". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
