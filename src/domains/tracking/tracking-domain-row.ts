import type { DomainRecord } from '../domain-record.js';
import type { CheckedDomainRow } from '../domain-row.js';
import { toCheckedDomainView, type CheckedDomainView } from '../domain-view.js';

/** Columns of `tracking_domains d`. */
export const TRACKING_DOMAIN_COLUMNS = `d.id, d.organization_id, d.domain, d.status, d.created_at, d.verified_at,
  d.ownership_token, d.records, d.checked_at, d.missing_since, d.unanswered_since,
  (select u.used_from from tracking_base_urls u
    where u.organization_id = d.organization_id and u.used_until is null and u.domain = d.domain) as used_from`;

export interface TrackingDomainRow extends CheckedDomainRow {
  organization_id: string;
  ownership_token: string;
  /** Null while new emails do not use the domain. */
  used_from: Date | null;
}

export interface TrackingDomainView extends CheckedDomainView {
  /** Since when new emails use the domain, some seconds in the future at first; null while they do not. */
  readonly usedSince: string | null;
  readonly records: readonly DomainRecord[];
}

export function toTrackingDomainView(row: TrackingDomainRow): TrackingDomainView {
  return { ...toCheckedDomainView(row), usedSince: row.used_from?.toISOString() ?? null, records: row.records };
}
