import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import { POSTGRES_CLOCK } from '../platform/database/postgres-clock.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import type { CheckedDomainRow } from './domain-row.js';

/** Domains that are checked at the same time. */
const BATCH = 20;
/** If a worker dies during its batch, another worker claims the batch after this time. */
const CLAIM_MS = 600_000;

export interface RecheckedDomains<Row extends CheckedDomainRow> {
  /** With the alias that `columns` needs. */
  readonly table: 'sending_domains' | 'tracking_domains d';
  readonly columns: string;
  readonly check: (row: Row) => Promise<unknown>;
  /** The log message for a check that fails. */
  readonly problem: string;
}

@Injectable()
export class DueRechecks {
  constructor(
    private readonly database: Database,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks all verified domains that are due. Any number of workers may run this at the same time. An error of one
   * domain, such as a lost connection to Postgres, does not stop the rest of its batch. Once the process stops, errors
   * are not logged: the claims run out.
   */
  async run<Row extends CheckedDomainRow>(domains: RecheckedDomains<Row>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const due = await this.claim(domains);
      const check = (row: Row) =>
        domains.check(row).catch((error: unknown) => stop.aborted || this.report(domains.problem, row, error));
      await Promise.all(due.map(check));
      if (due.length < BATCH) return;
    }
  }

  private claim<Row extends CheckedDomainRow>({ table, columns }: RecheckedDomains<Row>): Promise<Row[]> {
    const now = this.clock.now();
    return this.database.query<Row>(
      `update ${table} set recheck_at = $2
        where id in (select id from ${table}
                      where status = 'verified' and (recheck_at is null or recheck_at <= $1)
                      order by recheck_at limit ${BATCH} for update skip locked)
        returning ${columns}`,
      [new Date(now), new Date(now + CLAIM_MS)],
    );
  }

  private report(problem: string, { id }: CheckedDomainRow, error: unknown): void {
    const wasDeleted = error instanceof DomainError && error.kind === 'not-found';
    if (!wasDeleted) this.logger.error({ domainId: id, err: error }, problem);
  }
}
