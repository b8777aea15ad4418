import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import { POSTGRES_CLOCK } from '../platform/database/postgres-clock.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { SendingDomainNotFoundError } from './domain-errors.js';
import { DOMAIN_COLUMNS, type DomainRow } from './domain-row.js';
import { DomainVerification } from './domain-verification.js';
import { RECHECK_BATCH, RECHECK_CLAIM_MS, recheckDue, type Rechecks } from './recheck-due.js';
import { ProviderDomainRemovals } from './provider-domain-removals.js';

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
    const rechecks: Rechecks<DomainRow> = {
      claim: () => this.claimDue(),
      check: (row) => this.verification.check(row),
      report: (row, error) => this.report(row, error),
    };
    await recheckDue(rechecks, stop);
  }

  private claimDue(): Promise<DomainRow[]> {
    const now = this.clock.now();
    return this.database.query<DomainRow>(
      `update sending_domains set recheck_at = $2
        where id in (select id from sending_domains
                      where status = 'verified' and (recheck_at is null or recheck_at <= $1)
                      order by recheck_at limit ${RECHECK_BATCH} for update skip locked)
        returning ${DOMAIN_COLUMNS}`,
      [new Date(now), new Date(now + RECHECK_CLAIM_MS)],
    );
  }

  private report({ id }: DomainRow, error: unknown): void {
    if (!(error instanceof SendingDomainNotFoundError))
      this.logger.error({ domainId: id, err: error }, 'A domain could not be checked');
  }
}
