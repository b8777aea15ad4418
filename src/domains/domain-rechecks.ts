import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import { POSTGRES_CLOCK } from '../platform/database/postgres-clock.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { SendingDomainNotFoundError } from './domain-errors.js';
import { DOMAIN_COLUMNS, type DomainRow } from './domain-row.js';
import { DomainVerification } from './domain-verification.js';
import { ProviderDomainRemovals } from './provider-domain-removals.js';

const BATCH = 20;
/** If a worker dies during its batch, another worker claims the batch after this time. */
const CLAIM_MS = 600_000;

/** Checks verified domains every day, and removes deleted ones from the provider's account. */
@Injectable()
export class DomainRechecks {
  constructor(
    private readonly database: Database,
    private readonly verification: DomainVerification,
    private readonly removals: ProviderDomainRemovals,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Checks all verified domains that are due. Any number of workers may run this at the same time. */
  async run(stop: AbortSignal): Promise<void> {
    await this.removals.run(stop);
    while (!stop.aborted) {
      const due = await this.claimDue();
      await Promise.all(due.map((row) => this.recheck(row, stop)));
      if (due.length < BATCH) return;
    }
  }

  private claimDue(): Promise<DomainRow[]> {
    const now = this.clock.now();
    return this.database.query<DomainRow>(
      `update sending_domains set recheck_at = $2
        where id in (select id from sending_domains
                      where status = 'verified' and (recheck_at is null or recheck_at <= $1)
                      order by recheck_at limit ${BATCH} for update skip locked)
        returning ${DOMAIN_COLUMNS}`,
      [new Date(now), new Date(now + CLAIM_MS)],
    );
  }

  private async recheck(row: DomainRow, stop: AbortSignal): Promise<void> {
    try {
      await this.verification.check(row, false);
    } catch (error) {
      // An error of one domain, such as a lost connection to Postgres, must not stop the rest of the batch.
      // A process that stops closes its connections, and the claim runs out.
      if (!stop.aborted && !(error instanceof SendingDomainNotFoundError)) {
        this.logger.error({ domainId: row.id, err: error }, 'A domain could not be checked');
      }
    }
  }
}
