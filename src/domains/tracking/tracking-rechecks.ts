import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { TrackingDomainNotFoundError } from './tracking-domain-errors.js';
import { TRACKING_DOMAIN_COLUMNS, type TrackingDomainRow } from './tracking-domain-row.js';
import { TrackingVerification } from './tracking-verification.js';

const BATCH = 20;
/** If a worker dies during its batch, another worker claims the batch after this time. */
const CLAIM_MS = 600_000;

/** Checks verified tracking domains every hour. */
@Injectable()
export class TrackingRechecks {
  constructor(
    private readonly database: Database,
    private readonly verification: TrackingVerification,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Checks all domains that are due. Any number of workers may run this at the same time. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const due = await this.claimDue();
      await Promise.all(due.map((row) => this.recheck(row, stop)));
      if (due.length < BATCH) return;
    }
  }

  private claimDue(): Promise<TrackingDomainRow[]> {
    const now = this.clock.now();
    return this.database.query<TrackingDomainRow>(
      `update tracking_domains d set recheck_at = $2
        where d.id in (select id from tracking_domains where status = 'verified' and recheck_at <= $1
                        order by recheck_at limit ${BATCH} for update skip locked)
        returning ${TRACKING_DOMAIN_COLUMNS}`,
      [new Date(now), new Date(now + CLAIM_MS)],
    );
  }

  private async recheck(row: TrackingDomainRow, stop: AbortSignal): Promise<void> {
    try {
      await this.verification.check(row);
    } catch (error) {
      // An error of one domain must not stop the rest of the batch.
      if (!stop.aborted && !(error instanceof TrackingDomainNotFoundError)) {
        this.logger.error({ domainId: row.id, err: error }, 'A tracking domain could not be checked');
      }
    }
  }
}
