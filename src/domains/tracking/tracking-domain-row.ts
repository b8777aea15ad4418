import type { DomainRecord } from '../domain-record.js';
import type { DomainStatus } from '../domain-row.js';
import { shownDomain } from '../domain-name.js';

/** Columns of `tracking_domains d`. */
export const TRACKING_DOMAIN_COLUMNS = `d.id, d.organization_id, d.domain, d.status, d.created_at, d.verified_at,
  d.ownership_token, d.records, d.checked_at, d.missing_since, d.unanswered_since,
  (select u.used_from from tracking_base_urls u
    where u.organization_id = d.organization_id and u.used_until is null and u.domain = d.domain) as used_from`;

export interface TrackingDomainRow {
  id: string;
  organization_id: string;
  domain: string;
  status: DomainStatus;
  created_at: Date;
  verified_at: Date | null;
  ownership_token: string;
  records: DomainRecord[];
  checked_at: Date | null;
  missing_since: Date | null;
  unanswered_since: Date | null;
  /** Null while new emails do not use the domain. */
  used_from: Date | null;
}

export interface TrackingDomainView {
  readonly id: string;
  readonly domain: string;
  readonly shownDomain: string;
  readonly status: DomainStatus;
  readonly createdAt: string;
  readonly verifiedAt: string | null;
  readonly checkedAt: string | null;
  /** Since when the checks of a verified domain fail. */
  readonly failingSince: string | null;
  /** Since when new emails use the domain, some seconds in the future at first; null while they do not. */
  readonly usedSince: string | null;
  readonly records: readonly DomainRecord[];
}

export function toTrackingDomainView(row: TrackingDomainRow): TrackingDomainView {
  const failingSince = row.missing_since ?? row.unanswered_since;
  return {
    id: row.id,
    domain: row.domain,
    shownDomain: shownDomain(row.domain),
    status: row.status,
    createdAt: row.created_at.toISOString(),
    verifiedAt: row.verified_at?.toISOString() ?? null,
    checkedAt: row.checked_at?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    usedSince: row.used_from?.toISOString() ?? null,
    records: row.records,
  };
}
