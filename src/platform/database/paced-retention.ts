import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../health/metrics.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { Sql } from './database.js';

/** The settings that say after how many days data is deleted. */
export const RETENTION_SETTINGS = [
  'AUDIT_RETENTION_DAYS',
  'DEAD_LETTER_RETENTION_DAYS',
  'EMAIL_CONTENT_RETENTION_DAYS',
  'WEBHOOK_RETENTION_DAYS',
] as const;

interface RetentionPeriod {
  readonly setting: (typeof RETENTION_SETTINGS)[number];
  readonly days: number;
}

/**
 * Holds back deletions. A run deletes one to two days of the oldest data, which is far more than is due each hour. A
 * mistyped setting, such as 1 instead of 100, then costs days of old data and not all of it, until somebody reads the
 * warning.
 */
@Injectable()
export class PacedRetention {
  private readonly heldBack: Counter<'setting'>;

  constructor(
    @Inject(METRICS) registry: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.heldBack = new Counter({
      name: 'mailbeacon_paced_deletions_total',
      help: 'Runs that deleted a day or two of the oldest data, because much more was past the retention of this setting',
      labelNames: ['setting'],
      registers: [registry],
    });
    // Starts every series at zero: otherwise `increase()` misses the first run.
    for (const setting of RETENTION_SETTINGS) this.heldBack.inc({ setting }, 0);
  }

  /**
   * How many days one run keeps. Uses the Postgres clock, as all that delete.
   * @param oldest an SQL expression of type timestamptz, for the oldest data that can be deleted; null if there is none
   * @returns the days of the setting, or more of them
   */
  async daysToKeep(sql: Sql, { setting, days }: RetentionPeriod, oldest: string): Promise<number> {
    const [row] = await sql.query<{ kept: number | null }>(
      `select floor(extract(epoch from now() - (${oldest})) / 86400)::integer - 1 as kept`,
    );
    const kept = Math.max(days, row!.kept ?? days);
    if (kept > days) {
      this.heldBack.inc({ setting });
      this.logger.warn(
        { setting, days, daysLeft: kept - days },
        'Much more is past its retention than usual: it is deleted a day at a time',
      );
    }
    return kept;
  }
}
