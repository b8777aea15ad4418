import { Inject, Injectable } from '@nestjs/common';
import type { Author } from '../../organizations/audit/record-audit.js';
import type { Clock } from '../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { DomainTakenError } from '../domain-errors.js';
import { nextState } from '../domain-state.js';
import { lockTrackingDomains, switchBaseUrl } from './base-url-switch.js';
import { recordTrackingDomain } from './record-tracking-domain.js';
import { TrackingDnsCheck, type TrackingDnsResult } from './tracking-dns-check.js';
import { TrackingDomainNotFoundError } from './tracking-domain-errors.js';
import { TrackingDomainMetrics } from './tracking-domain-metrics.js';
import { TRACKING_DOMAIN_COLUMNS, type TrackingDomainRow } from './tracking-domain-row.js';

/**
 * Links in new emails are dead while a record is missing, so each domain is checked more often than a sending domain.
 */
const RECHECK_MS = 3_600_000;

/** Checks tracking domains and records their new state. */
@Injectable()
export class TrackingVerification {
  constructor(
    private readonly database: Database,
    private readonly dnsCheck: TrackingDnsCheck,
    private readonly metrics: TrackingDomainMetrics,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks a domain. New emails use it some seconds after its records were found, and no longer once one is missing.
   * @param author the requester; undefined for the job
   * @throws TrackingDomainNotFoundError when it was deleted, DomainTakenError, TrackingTargetMissingError
   */
  async check(row: TrackingDomainRow, author?: Author): Promise<TrackingDomainRow> {
    const found = await this.dnsCheck.run(row);
    this.metrics.countCheck(found.result);
    const changed = await this.record(row, found, author).catch((error: unknown) => {
      throw isUniqueViolation(error) ? new DomainTakenError() : error;
    });
    this.report(row, changed);
    return changed;
  }

  private record(
    before: TrackingDomainRow,
    { result, records }: TrackingDnsResult,
    author: Author | undefined,
  ): Promise<TrackingDomainRow> {
    const { id, organization_id: organizationId } = before;
    const now = new Date(this.clock.now());
    const earlier = {
      status: before.status,
      missingSince: before.missing_since,
      unansweredSince: before.unanswered_since,
    };
    const after = nextState(earlier, result, now);
    return this.database.transactionOf(organizationId, async (sql) => {
      await lockTrackingDomains(sql, organizationId);
      // A check that did not see the records must not overwrite a concurrent one.
      const changed = await sql.query<{ domain: string; status: string }>(
        `update tracking_domains
            set status = $2, missing_since = $3, unanswered_since = $4, records = $5, checked_at = $6, recheck_at = $7,
                verified_at = case when $2 = 'verified' then coalesce(verified_at, $6) end
          where id = $1 and ($8::boolean or checked_at is not distinct from $9)
          returning domain, status`,
        [
          ...[id, after.status, after.missingSince, after.unansweredSince, JSON.stringify(records), now],
          ...[new Date(now.getTime() + RECHECK_MS), result === 'seen', before.checked_at],
        ],
      );
      await switchBaseUrl(sql, organizationId, this.settings.TRACKING_DOMAIN_SCHEME, this.clock.now());
      if (changed[0] && author) await recordTrackingDomain(sql, author, 'tracking-domain.verified', id, changed[0]);
      const [row] = await sql.query<TrackingDomainRow>(
        `select ${TRACKING_DOMAIN_COLUMNS} from tracking_domains d where d.id = $1`,
        [id],
      );
      if (!row) throw new TrackingDomainNotFoundError();
      return row;
    });
  }

  private report(before: TrackingDomainRow, after: TrackingDomainRow): void {
    const domainId = after.id;
    if (before.status !== after.status) {
      this.metrics.countChange(after.status);
      if (after.status === 'verified') this.logger.info({ domainId }, 'Tracking domain verified');
      else
        this.logger.warn({ domainId }, 'Tracking domain lost its verification: its records were missing for too long');
    } else if (after.missing_since && !before.missing_since) {
      this.logger.warn({ domainId }, 'A record of a verified tracking domain is missing: new emails do not use it');
    }
  }
}
