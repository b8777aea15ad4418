import type { DomainRecord } from './domain-record.js';
import { shownDomain } from './domain-name.js';

export type DomainStatus = 'pending' | 'verified';

export const DOMAIN_COLUMNS = `id, domain, status, created_at, verified_at, ownership_token, dkim_selector,
  dkim_public_key, records, checked_at, missing_since, unanswered_since`;

export interface DomainRow {
  id: string;
  domain: string;
  status: DomainStatus;
  created_at: Date;
  verified_at: Date | null;
  ownership_token: string | null;
  dkim_selector: string | null;
  dkim_public_key: string | null;
  records: DomainRecord[];
  checked_at: Date | null;
  missing_since: Date | null;
  unanswered_since: Date | null;
}

export interface DomainView {
  readonly id: string;
  readonly domain: string;
  readonly shownDomain: string;
  readonly status: DomainStatus;
  readonly createdAt: string;
  readonly verifiedAt: string | null;
  readonly checkedAt: string | null;
  /** Since when a verified domain cannot be seen to be verified. */
  readonly failingSince: string | null;
  /** Why records are missing from the list, in words; null when it is whole. */
  readonly notice: string | null;
  readonly records: readonly DomainRecord[];
}

const NO_DKIM_RECORDS =
  'The DKIM records are missing here: the delivery provider, which makes them, could not be asked. Let us look again (verify)';

export function toDomainView(row: DomainRow): DomainView {
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
    notice: row.records.some(({ purpose }) => purpose === 'dkim') ? null : NO_DKIM_RECORDS,
    records: row.records,
  };
}
