import { ownProvidersExist } from '../organizations/providers/own-providers-exist.sql.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import type { Sql } from '../platform/database/database.js';
import { SendingDomainNotFoundError } from './domain-errors.js';
import type { DomainRecord } from './domain-record.js';

export const DOMAIN_STATUSES = ['pending', 'verified'] as const;

export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export const DOMAIN_COLUMNS = `id, domain, status, created_at, verified_at, ownership_token, dkim_selector,
  dkim_public_key, records, checked_at, missing_since, unanswered_since, provider_signs, sender_refused_at,
  sender_refusal, ${ownProvidersExist('sending_domains.organization_id')} as has_own_providers`;

/** What sending and tracking domains have in common. */
export interface CheckedDomainRow {
  id: string;
  domain: string;
  status: DomainStatus;
  created_at: Date;
  verified_at: Date | null;
  records: DomainRecord[];
  checked_at: Date | null;
  missing_since: Date | null;
  unanswered_since: Date | null;
}

export interface DomainRow extends CheckedDomainRow {
  ownership_token: string | null;
  dkim_selector: string | null;
  dkim_public_key: string | null;
  provider_signs: boolean;
  /** True if the organization has its own providers, which sign mail of the domain as they are set up to. */
  has_own_providers: boolean;
  sender_refused_at: Date | null;
  sender_refusal: string | null;
}

/** @param id untrusted text. @throws SendingDomainNotFoundError */
export async function findDomain(sql: Sql, organizationId: string, id: string): Promise<DomainRow> {
  if (!isUuid(id)) throw new SendingDomainNotFoundError();
  const [row] = await sql.query<DomainRow>(
    `select ${DOMAIN_COLUMNS} from sending_domains where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  if (!row) throw new SendingDomainNotFoundError();
  return row;
}
