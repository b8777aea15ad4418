import { shownDomain } from './domain-name.js';
import { noticeOf } from './domain-notice.js';
import type { DomainRecord } from './domain-record.js';
import type { CheckedDomainRow, DomainRow, DomainStatus } from './domain-row.js';

/** What sending and tracking domains have in common. */
export interface CheckedDomainView {
  readonly id: string;
  readonly domain: string;
  readonly shownDomain: string;
  readonly status: DomainStatus;
  readonly createdAt: string;
  readonly verifiedAt: string | null;
  readonly checkedAt: string | null;
  /** Since when the checks of a verified domain fail. */
  readonly failingSince: string | null;
}

export interface DomainView extends CheckedDomainView {
  /** Why mail cannot be sent from this domain; null when it can. */
  readonly notice: string | null;
  readonly records: readonly DomainRecord[];
}

export function toDomainView(row: DomainRow, providerSigns: boolean): DomainView {
  return { ...toCheckedDomainView(row), notice: noticeOf(row, providerSigns), records: row.records };
}

export function toCheckedDomainView(row: CheckedDomainRow): CheckedDomainView {
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
  };
}
