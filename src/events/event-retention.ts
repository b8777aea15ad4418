import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { PacedRetention } from '../platform/database/paced-retention.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { purgeDeadLetters } from './dead-letters/dead-letters.js';
import { dropEventPartitions, ensureEventPartitions, oldestEventPartition } from './event-partitions.js';
import { storeHasAll } from './store/store-has-all.js';
import { deleteEventSums } from './delete-event-sums.js';

/**
 * Creates upcoming partitions and deletes events past their retention. Uses the Postgres clock: a worker whose clock
 * is months ahead would delete years.
 */
@Injectable()
export class EventHistory {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly pace: PacedRetention,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Any number of processes may run this at once. */
  async maintain(): Promise<void> {
    const created = await ensureEventPartitions(this.database, await this.now());
    if (created.length > 0) this.logger.info({ partitions: created }, 'Created event partitions');
    const { EVENT_RETENTION_MONTHS: months, DEAD_LETTER_RETENTION_DAYS: days } = this.settings;
    if (months > 0 && !(await storeHasAll(this.database))) {
      this.logger.warn('Old events stay in Postgres until the event store has them');
    } else if (months > 0) {
      const dropped = await dropEventPartitions(this.database, await this.advance(months));
      if (dropped.length > 0) this.logger.info({ partitions: dropped }, 'Deleted old events');
    }
    if (days > 0) {
      const period = { setting: 'DEAD_LETTER_RETENTION_DAYS', days } as const;
      const oldest = 'select min(created_at) from event_dead_letters';
      const kept = await this.pace.daysToKeep(this.database, period, oldest);
      const deadLetters = await purgeDeadLetters(this.database, kept);
      if (deadLetters > 0) this.logger.info({ deadLetters }, 'Deleted old dead letters');
    }
    // Last: with millions of dead letters, its search for the oldest one that counts may exceed the time limit.
    await deleteEventSums(this.database);
  }

  private async now(): Promise<Date> {
    const [row] = await this.database.query<{ now: Date }>('select now()');
    return row!.now;
  }

  /**
   * Keeps the current month and `months` whole ones before it (UTC). Each run advances at most one month: if the
   * Postgres clock jumps or the setting is mistyped, there are hours to notice. The recorded month never moves back:
   * the events before it are deleted, and reads find them in the event store only.
   * @returns the first instant that is kept
   */
  private async advance(months: number): Promise<Date> {
    const oldest = await oldestEventPartition(this.database);
    const [row] = await this.database.query<{ firstKept: Date }>(
      `with wanted as (
         select date_trunc('month', now() at time zone 'UTC') - $1 * interval '1 month' as month
       ), last as (
         select coalesce(kept_from at time zone 'UTC', $2::timestamp) as month,
                coalesce(moved_at < now() - interval '50 minutes', true) as may_move from event_history
       ), next as (
         select least(wanted.month, last.month + case when may_move then interval '1 month' else '0' end) at time zone 'UTC' as month,
                may_move from wanted, last
       )
       update event_history
          set kept_from = greatest(kept_from, next.month), moved_at = case when may_move then now() else moved_at end
         from next
       returning next.month as "firstKept"`,
      [months, oldest.toISOString().slice(0, 10)],
    );
    return row!.firstKept;
  }
}
