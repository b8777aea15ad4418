import type { Clock } from '../clock/clock.js';
import type { Logger } from '../logging/logger.js';
import type { Sql } from './database.js';

/**
 * Injection token of the clock for times that are stored: retention and limits compare them with the Postgres clock.
 */
export const POSTGRES_CLOCK = Symbol('postgres-clock');

const MEASURE_EVERY_MS = 10_000;
/** A host clock this close to the Postgres clock is trusted: a measurement with a larger error proves little. */
const TOLERATED_MS = 1_000;

/**
 * The clock of this host, corrected while it differs from the Postgres clock. Without the correction, rows stored by a
 * host with a wrong clock would be deleted at once or never.
 */
export class PostgresClock implements Clock {
  private aheadMs = 0;
  /** The clock of the host when its monotonic clock was 0, by the last measurement. */
  private monotonicStart = 0;
  private remeasurement?: Promise<void> | undefined;
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
    clock.timer = setInterval(() => clock.remeasure(), MEASURE_EVERY_MS).unref();
    return clock;
  }

  /**
   * The clock of the host may have been set since the last measurement, so that scheduled mail would go out early: then
   * this is the time of that measurement and what has passed since by the monotonic clock. That one may have stood
   * still while the host was suspended, which another measurement corrects at once.
   */
  now(): number {
    const now = this.host.now();
    const passed = this.monotonicStart + performance.now();
    if (Math.abs(now - passed) <= TOLERATED_MS) return now - this.aheadMs;
    if (!this.remeasurement) this.remeasure();
    return Math.floor(passed) - this.aheadMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** One that fails is repeated by the timer, so that calls meanwhile cause no further ones. */
  private remeasure(): void {
    this.remeasurement = this.measure().then(
      () => (this.remeasurement = undefined),
      () => undefined,
    );
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
    const [hostNow, endedAt] = [this.host.now(), performance.now()];
    const errorMs = (endedAt - startedAt) / 2;
    const aheadMs = Math.round(hostNow - errorMs - row!.now);
    const agrees = (otherMs: number): boolean => Math.abs(aheadMs - otherMs) <= TOLERATED_MS + errorMs;
    if (errorMs > TOLERATED_MS && agrees(this.aheadMs)) {
      // Our own time is wrong if this is the first measurement, or the host was suspended.
      const ownAheadMs = this.monotonicStart + endedAt - this.aheadMs - errorMs - row!.now;
      if (Math.abs(ownAheadMs) > TOLERATED_MS + errorMs) this.monotonicStart = hostNow - endedAt;
      return;
    }
    const isWrong = !agrees(0);
    if (isWrong && this.aheadMs === 0)
      this.logger.warn({ aheadMs }, 'The clock of this host is wrong; times are stored by the Postgres clock');
    this.aheadMs = isWrong ? aheadMs : 0;
    this.monotonicStart = hostNow - endedAt;
  }
}
