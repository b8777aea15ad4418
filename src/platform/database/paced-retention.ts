import type { Logger } from '../logging/logger.js';
import type { Sql } from './database.js';

/** A setting that says after how many days data is deleted. */
interface RetentionPeriod {
  readonly setting: string;
  readonly days: number;
}

/**
 * How many days one run keeps. A run deletes one to two days of the oldest data, which is far more than is due each hour.
 * A mistyped setting, such as 1 instead of 100, then costs days of old data and not all of it, until somebody reads the
 * warning. Uses the Postgres clock, as all that delete.
 * @param oldest an SQL expression of type timestamptz, for the oldest data that can be deleted; null if there is none
 * @returns the days of the setting, or more of them
 */
export async function daysToKeep(
  sql: Sql,
  logger: Logger,
  { setting, days }: RetentionPeriod,
  oldest: string,
): Promise<number> {
  const [row] = await sql.query<{ kept: number | null }>(
    `select floor(extract(epoch from now() - (${oldest})) / 86400)::integer - 1 as kept`,
  );
  const kept = Math.max(days, row!.kept ?? days);
  if (kept > days) {
    logger.warn(
      { setting, days, daysLeft: kept - days },
      'Much more is past its retention than usual: it is deleted a day at a time',
    );
  }
  return kept;
}

/** SQL for the time in a UUIDv7. @param id an expression of type uuid */
export function timeOfId(id: string): string {
  return `to_timestamp(('x' || left(replace((${id})::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
}
