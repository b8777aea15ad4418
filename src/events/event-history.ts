import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { purgeDeadLetters } from './dead-letters.js';
import { dropEventPartitions, ensureEventPartitions } from './event-partitions.js';

const DAY_MS = 86_400_000;

/** Makes room for the events to come, and forgets those that are older than they are to be kept. */
@Injectable()
export class EventHistory {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Any number of processes may do this at once. */
  async keep(): Promise<void> {
    const now = new Date(this.clock.now());
    const made = await ensureEventPartitions(this.database, now);
    if (made.length > 0) this.logger.info({ partitions: made }, 'Event partitions made');
    const { EVENT_RETENTION_MONTHS: months, DEAD_LETTER_RETENTION_DAYS: days } = this.settings;
    if (months > 0) {
      const dropped = await dropEventPartitions(this.database, firstMonthKept(now, months));
      if (dropped.length > 0) this.logger.info({ partitions: dropped }, 'Old events forgotten');
    }
    if (days > 0) {
      const deadLetters = await purgeDeadLetters(this.database, new Date(now.getTime() - days * DAY_MS));
      if (deadLetters > 0) this.logger.info({ deadLetters }, 'Old dead letters forgotten');
    }
  }
}

/** The present month and `months` whole ones before it are kept (UTC). */
function firstMonthKept(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
}
