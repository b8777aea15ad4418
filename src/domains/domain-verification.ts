import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { isUuid } from '../clock/uuid-v7.js';
import { Database } from '../database/database.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { SendingDomainNotFoundError, SendingDomainTakenError } from './domain-errors.js';
import { DomainLook } from './domain-look.js';
import { DomainMetrics } from './domain-metrics.js';
import { DOMAIN_COLUMNS, toDomainView, type DomainRow, type DomainView } from './domain-row.js';
import { nextRecheck, nextState } from './domain-state.js';

const BATCH = 20;
/** A worker that ends during its batch leaves it to another after this time. */
const CLAIM_MS = 600_000;
const UNIQUE_VIOLATION = '23505';

/** Looks at domains and records what that makes of them. */
@Injectable()
export class DomainVerification {
  constructor(
    private readonly database: Database,
    private readonly look: DomainLook,
    private readonly metrics: DomainMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Looks now. @throws SendingDomainNotFoundError, SendingDomainTakenError */
  async verify(organizationId: string, id: string): Promise<DomainView> {
    const [row] = isUuid(id)
      ? await this.database.query<DomainRow>(
          `select ${DOMAIN_COLUMNS} from sending_domains where organization_id = $1 and id = $2`,
          [organizationId, id],
        )
      : [];
    if (!row) throw new SendingDomainNotFoundError();
    return toDomainView(await this.check(row));
  }

  /** Looks at the verified domains whose day is over, until none is left; any number of workers may. */
  async recheckDue(): Promise<void> {
    for (;;) {
      const due = await this.claimDue();
      await Promise.all(due.map((row) => this.recheck(row)));
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

  private async recheck(row: DomainRow): Promise<void> {
    try {
      await this.check(row);
    } catch (error) {
      // Deleted meanwhile, or Postgres is away: the others must not wait for this one.
      if (!(error instanceof SendingDomainNotFoundError)) {
        this.logger.error({ domainId: row.id, err: error }, 'A domain could not be checked');
      }
    }
  }

  private async check(row: DomainRow): Promise<DomainRow> {
    const { records, ownership } = await this.look.look(row);
    this.metrics.looked(ownership);
    const now = new Date(this.clock.now());
    const before = { status: row.status, missingSince: row.missing_since, unansweredSince: row.unanswered_since };
    const after = nextState(before, ownership, now);
    const changed = await this.record([
      row.id,
      after.status,
      after.missingSince,
      after.unansweredSince,
      JSON.stringify(records),
      now,
      nextRecheck(ownership, now),
      row.checked_at,
    ]);
    if (!changed) return this.read(row.id);
    this.tell(row, changed);
    return changed;
  }

  /** Undefined when the domain is gone, or when somebody looked meanwhile and this look would take it away. */
  private async record(values: readonly unknown[]): Promise<DomainRow | undefined> {
    try {
      const [row] = await this.database.query<DomainRow>(
        `update sending_domains
            set status = $2, missing_since = $3, unanswered_since = $4, records = $5, checked_at = $6, recheck_at = $7,
                verified_at = case when $2 = 'verified' then coalesce(verified_at, $6) end
          where id = $1 and ($2 = 'verified' or checked_at is not distinct from $8)
          returning ${DOMAIN_COLUMNS}`,
        values,
      );
      return row;
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) throw new SendingDomainTakenError();
      throw error;
    }
  }

  private async read(id: string): Promise<DomainRow> {
    const [row] = await this.database.query<DomainRow>(`select ${DOMAIN_COLUMNS} from sending_domains where id = $1`, [
      id,
    ]);
    if (!row) throw new SendingDomainNotFoundError();
    return row;
  }

  private tell(before: DomainRow, after: DomainRow): void {
    const domainId = after.id;
    if (before.status !== after.status) {
      this.metrics.changed(after.status);
      if (after.status === 'verified') this.logger.info({ domainId }, 'Domain verified');
      else this.logger.warn({ domainId }, 'Domain lost its verification: its record was not seen for too long');
    } else if (after.missing_since && !before.missing_since) {
      this.logger.warn({ domainId }, 'The ownership record of a verified domain is missing');
    }
  }
}
