import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { RECHECK_BATCH, RECHECK_CLAIM_MS, recheckDue, type Rechecks } from '../recheck-due.js';
import { TrackingDomainNotFoundError } from './tracking-domain-errors.js';
import { TRACKING_DOMAIN_COLUMNS, type TrackingDomainRow } from './tracking-domain-row.js';
import { TrackingVerification } from './tracking-verification.js';

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
    const rechecks: Rechecks<TrackingDomainRow> = {
      claim: () => this.claimDue(),
      check: (row) => this.verification.check(row),
      report: (row, error) => this.report(row, error),
    };
    await recheckDue(rechecks, stop);
  }

  private claimDue(): Promise<TrackingDomainRow[]> {
    const now = this.clock.now();
    return this.database.query<TrackingDomainRow>(
      `update tracking_domains d set recheck_at = $2
        where d.id in (select id from tracking_domains where status = 'verified' and recheck_at <= $1
                        order by recheck_at limit ${RECHECK_BATCH} for update skip locked)
        returning ${TRACKING_DOMAIN_COLUMNS}`,
      [new Date(now), new Date(now + RECHECK_CLAIM_MS)],
    );
  }

  private report({ id }: TrackingDomainRow, error: unknown): void {
    if (!(error instanceof TrackingDomainNotFoundError))
      this.logger.error({ domainId: id, err: error }, 'A tracking domain could not be checked');
  }
}
