import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { runBackfill, type Backfill } from '../../platform/database/backfill.js';
import { COUNT_EARLIER } from './earlier-stats.sql.js';

const BACKFILL: Backfill = {
  progress: 'stats_walk',
  table: 'emails',
  pending: 'not in_stats',
  work: COUNT_EARLIER,
  batch: 1_000,
  maxBatches: 100,
};

/**
 * Adds emails from before the hourly figures existed to these figures. Every statement that changes the figures of an
 * email first locks the email and then reads whether it is already counted, so each fact counts once.
 */
@Injectable()
export class EarlierStats {
  constructor(private readonly database: Database) {}

  /** Any number of processes may run this at once. */
  count(): Promise<void> {
    return runBackfill(this.database, BACKFILL);
  }
}
