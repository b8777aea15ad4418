import { requireOrganization } from '../organizations/organizations.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import type { Sql } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';

/**
 * Reads an optional `--org`.
 * @returns null for all organizations
 * @throws InvalidFieldError, or that the organization is not found: it would otherwise look like one without data
 */
export async function readOrganization(sql: Sql, org: string | undefined): Promise<string | null> {
  if (org === undefined) return null;
  if (!isUuid(org)) throw new InvalidFieldError('org', 'must be the ID of an organization');
  await requireOrganization(sql, org);
  return org;
}
