import { ensureEventPartitions } from '../../events/event-partitions.js';
import type { Database } from '../../platform/database/database.js';
import type { Logger } from '../../platform/logging/logger.js';
import { Schedule } from './schedule.js';

const INTERVAL_MS = 86_400_000;
const RETRY_MS = 60_000;

/** Creates the partitions of events daily. Late ones do no harm: until then, the default partition takes the events. */
export class PartitionUpkeep {
  private readonly schedule = new Schedule(INTERVAL_MS);

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** Never throws. @param now in milliseconds since the Unix epoch */
  async runIfDue(now: number): Promise<void> {
    if (!this.schedule.isDue(now)) return;
    try {
      const created = await ensureEventPartitions(this.database, new Date(now));
      if (created.length > 0) this.logger.info({ partitions: created }, 'Created event partitions');
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'Could not create event partitions; retrying later');
      this.schedule.retryAt(now + RETRY_MS);
    }
  }
}
