import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { readTime } from '../../platform/http/time-parameter.js';
import { HOUR_MS } from './stat-counters.js';

const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 30;

/** Lengths of the points of a time series; weeks begin on Monday. */
export const STATS_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type StatsInterval = (typeof STATS_INTERVALS)[number];

/** Points of one response: six weeks of hours, nearly three years of days, ten years of weeks and months. */
export const MAX_POINTS: Readonly<Record<StatsInterval, number>> = { hour: 1_000, day: 1_000, week: 520, month: 120 };

export interface StatsRange {
  readonly interval: StatsInterval;
  /** Starts of the intervals in milliseconds, at least one. */
  readonly starts: readonly number[];
  /** End of the last interval, exclusive. */
  readonly to: number;
}

/**
 * Reads the range of a time series and extends it to whole intervals in UTC.
 * @throws InvalidFieldError
 */
export function readStatsRange(query: Readonly<Record<string, unknown>>, now: number): StatsRange {
  const interval = readInterval(query['interval']);
  const end = query['to'] === undefined ? now + 1 : readTime('to', query['to']);
  const last = startOf(interval, Math.max(0, end - 1));
  const from =
    query['from'] === undefined
      ? Math.max(0, startOf('day', end - 1) - (DEFAULT_DAYS - 1) * DAY_MS)
      : readTime('from', query['from']);
  if (from >= end) throw new InvalidFieldError('from', 'must be before to');
  const starts: number[] = [];
  for (let at = startOf(interval, from); at <= last; at = startAfter(interval, at)) {
    if (starts.length === MAX_POINTS[interval]) throw tooManyPoints(interval);
    starts.push(at);
  }
  return { interval, starts, to: startAfter(interval, last) };
}

function readInterval(value: unknown): StatsInterval {
  if (value === undefined) return 'day';
  const known = STATS_INTERVALS.find((interval) => interval === value);
  if (!known) throw new InvalidFieldError('interval', `must be one of ${STATS_INTERVALS.join(', ')}`);
  return known;
}

function tooManyPoints(interval: StatsInterval): InvalidFieldError {
  return new InvalidFieldError(
    'from',
    `must be at most ${MAX_POINTS[interval]} ${interval}s before to: choose a longer interval or a shorter range`,
  );
}

/** The start of the interval that contains a time. */
function startOf(interval: StatsInterval, at: number): number {
  switch (interval) {
    case 'hour':
      return at - (at % HOUR_MS);
    case 'day':
      return at - (at % DAY_MS);
    case 'week': {
      const day = startOf('day', at);
      // 1970 began on a Thursday.
      return day - ((day / DAY_MS + 3) % 7) * DAY_MS;
    }
    case 'month': {
      const time = new Date(at);
      return Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
    }
  }
}

function startAfter(interval: StatsInterval, start: number): number {
  switch (interval) {
    case 'hour':
      return start + HOUR_MS;
    case 'day':
      return start + DAY_MS;
    case 'week':
      return start + 7 * DAY_MS;
    case 'month': {
      const time = new Date(start);
      return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
    }
  }
}
