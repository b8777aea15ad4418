import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import { POSTGRES_CLOCK } from '../platform/database/postgres-clock.js';
import type { Author } from '../organizations/audit/record-audit.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { SendingDomainNotFoundError, DomainTakenError } from './domain-errors.js';
import { DomainDnsCheck } from './domain-dns-check.js';
import { DomainMetrics } from './domain-metrics.js';
import { DOMAIN_COLUMNS, findDomain, type DomainRow } from './domain-row.js';
import type { DomainView } from './domain-view.js';
import { recordDomain } from './record-domain.js';
import { nextRecheck, nextState } from './domain-state.js';
import { isUniqueViolation } from '../platform/database/unique-violation.js';

/** Checks domains and records their new state. */
@Injectable()
export class DomainVerification {
  constructor(
    private readonly database: Database,
    private readonly dnsCheck: DomainDnsCheck,
    private readonly metrics: DomainMetrics,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Checks the domain at the request of its organization. @throws SendingDomainNotFoundError, DomainTakenError */
  async verify(author: Author, id: string): Promise<DomainView> {
    const row = await findDomain(this.database, author.organizationId, id);
    return this.dnsCheck.view(await this.check(row, author));
  }

  /**
   * Checks a domain and records its new state.
   * @param author the requester, for whom a refusal of a sender of the domain is over; undefined for the job
   * @throws SendingDomainNotFoundError when it was deleted, DomainTakenError
   */
  async check(row: DomainRow, author?: Author): Promise<DomainRow> {
    const result = await this.dnsCheck.run(row);
    if (result.providerDomainId !== undefined) await this.storeProviderDomain(row, result.providerDomainId);
    this.metrics.countCheck(result.ownership);
    const now = new Date(this.clock.now());
    const before = { status: row.status, missingSince: row.missing_since, unansweredSince: row.unanswered_since };
    const after = nextState(before, result.ownership, now);
    const changed = await this.record(author, [
      row.id,
      after.status,
      after.missingSince,
      after.unansweredSince,
      JSON.stringify(result.records),
      now,
      nextRecheck(result.ownership, now),
      row.checked_at,
      result.providerSigns,
      author !== undefined,
      result.ownership === 'seen',
    ]);
    if (!changed) return this.read(row.id);
    this.report(row, changed);
    return changed;
  }

  /** Stored before the result of the check, so that what checks create at the provider is removed in any case. */
  private async storeProviderDomain({ id, domain }: DomainRow, madeId: string): Promise<void> {
    await this.database.query(
      `with known as (select provider_domain_id as earlier from sending_domains where id = $1 for update),
       made as (update sending_domains set provider_domain_id = $2 where id = $1)
       insert into provider_domain_removals (provider_domain_id, domain)
       select $2, $3 where not exists (select from known)
       union select earlier, $3 from known where earlier <> $2
       on conflict do nothing`,
      [id, madeId, domain],
    );
  }

  /**
   * Undefined when the domain was deleted, or when a check that did not see the record would overwrite a concurrent
   * one.
   */
  private async record(author: Author | undefined, values: readonly unknown[]): Promise<DomainRow | undefined> {
    try {
      return await this.database.transaction(async (sql) => {
        const [row] = await sql.query<DomainRow>(
          `update sending_domains
            set status = $2, missing_since = $3, unanswered_since = $4, records = $5, checked_at = $6, recheck_at = $7,
                verified_at = case when $2 = 'verified' then coalesce(verified_at, $6) end,
                provider_signs = $9 or (provider_signs and checked_at is distinct from $8),
                sender_refused_at = case when $10 then null else sender_refused_at end,
                sender_refusal = case when $10 then null else sender_refusal end
          where id = $1 and ($11::boolean or checked_at is not distinct from $8)
          returning ${DOMAIN_COLUMNS}`,
          values,
        );
        if (row && author)
          await recordDomain(sql, author, 'domain.verified', row.id, { domain: row.domain, status: row.status });
        return row;
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new DomainTakenError();
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

  private report(before: DomainRow, after: DomainRow): void {
    const domainId = after.id;
    if (before.status !== after.status) {
      this.metrics.countChange(after.status);
      if (after.status === 'verified') this.logger.info({ domainId }, 'Domain verified');
      else
        this.logger.warn({ domainId }, 'Domain lost its verification: its ownership record was not found for too long');
    } else if (after.missing_since && !before.missing_since) {
      this.logger.warn({ domainId }, 'The ownership record of a verified domain is missing');
    }
  }
}
