import { sleep } from '../../platform/clock/sleep.js';
import type { Database } from '../../platform/database/database.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { TrailingGroup } from '../stream/trailing-group.js';
import { forgetStore } from './store-progress.js';

const RETRY_MS = 10_000;

export interface RemovalTimes {
  /** How often to look for a group without readers. */
  readonly checkMs: number;
  /** A member that has not read for this long has ended. */
  readonly idleMs: number;
}

const REMOVAL_TIMES: RemovalTimes = { checkMs: 60_000, idleMs: 600_000 };

/**
 * Removes the group and the progress of an event store that this process does not have: at its start, and whenever the
 * group has no readers, because it would keep all events in Redis. Flushers that still have the store make the group
 * again, and may end after all others have started.
 */
export class StoreRemoval {
  constructor(
    private readonly group: TrailingGroup,
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly times: RemovalTimes = REMOVAL_TIMES,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    let isStart = true;
    while (!stop.aborted) {
      try {
        if (isStart || !(await this.group.hasReaders(this.times.idleMs))) await this.remove();
        isStart = false;
        await sleep(this.times.checkMs, stop);
      } catch (error) {
        this.logger.debug({ reason: String(error) }, 'Could not check whether there was an event store; retrying');
        await sleep(RETRY_MS, stop);
      }
    }
  }

  private async remove(): Promise<void> {
    const hadGroup = await this.group.remove();
    if ((await forgetStore(this.database)) || hadGroup)
      this.logger.warn('EVENT_STORE_URL is no longer set: events are no longer written to the event store');
  }
}
