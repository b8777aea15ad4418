import type { Clock } from '../clock/clock.js';
import type { Logger } from '../logging/logger.js';
import type { Sql } from './database.js';

/**
 * Injection token of the clock for times that are stored: retention and limits compare them with the Postgres clock.
 */
export const POSTGRES_CLOCK = Symbol('postgres-clock');

const MEASURE_EVERY_MS = 10_000;
/** A host clock this close to the Postgres clock is trusted. A measurement with a larger error can hardly tell. */
const TOLERATED_MS = 1_000;

/**
 * The clock of this host, corrected while it differs from the Postgres clock. Without the correction, rows stored by a
 * host with a wrong clock would be deleted at once or never.
 */
export class PostgresClock implements Clock {
  private aheadMs = 0;
  private timer?: NodeJS.Timeout;

  private constructor(
    private readonly sql: Pick<Sql, 'prepared'>,
    private readonly host: Clock,
    private readonly logger: Logger,
  ) {}

  /** @throws when Postgres does not respond to the first measurement; later ones are repeated */
  static async follow(sql: Pick<Sql, 'prepared'>, host: Clock, logger: Logger): Promise<PostgresClock> {
    const clock = new PostgresClock(sql, host, logger);
    await clock.measure();
    clock.timer = setInterval(() => void clock.measure().catch(() => undefined), MEASURE_EVERY_MS).unref();
    return clock;
  }

  now(): number {
    return this.host.now() - this.aheadMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /**
   * The error of a measurement is at most half of its round trip, which is timed separately, because the clock may jump
   * in between. After a slow response, the known correction stays unless the measurement contradicts it.
   */
  private async measure(): Promise<void> {
    const startedAt = performance.now();
    const [row] = await this.sql.prepared<{ now: number }>(
      'read-clock',
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
      [],
    );
    const errorMs = (performance.now() - startedAt) / 2;
    const aheadMs = Math.round(this.host.now() - errorMs - row!.now);
    const agrees = (otherMs: number): boolean => Math.abs(aheadMs - otherMs) <= TOLERATED_MS + errorMs;
    if (errorMs > TOLERATED_MS && agrees(this.aheadMs)) return;
    const isWrong = !agrees(0);
    if (isWrong && this.aheadMs === 0)
      this.logger.warn({ aheadMs }, 'The clock of this host is wrong; times are stored by the Postgres clock');
    this.aheadMs = isWrong ? aheadMs : 0;
  }
}
