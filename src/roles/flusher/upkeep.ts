import type { Database } from '../../platform/database/database.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { EventConsumer } from '../../events/stream/event-consumer.js';
import { PartitionUpkeep } from './partition-upkeep.js';
import { Schedule } from './schedule.js';
import type { SlowEvents } from './slow-events.js';

/** An entry unacknowledged for this long is claimed: three times the longest flush, with margin. */
const CLAIM_IDLE_MS = 60_000;
const CLAIM_INTERVAL_MS = 15_000;

/** What a flusher does between two reads. */
export class Upkeep {
  private readonly claims = new Schedule(CLAIM_INTERVAL_MS);
  private readonly partitions: PartitionUpkeep;

  constructor(
    private readonly consumer: EventConsumer,
    private readonly slow: SlowEvents,
    database: Database,
    logger: Logger,
  ) {
    this.partitions = new PartitionUpkeep(database, logger);
  }

  /** @returns true if entries of other flushers were claimed */
  async runIfDue(now: number): Promise<boolean> {
    await this.partitions.runIfDue(now);
    if (!this.claims.isDue(now)) return false;
    await this.slow.keep();
    const claimed = await this.consumer.claimStale(CLAIM_IDLE_MS);
    await this.consumer.removeIdleConsumers();
    return claimed > 0;
  }
}
