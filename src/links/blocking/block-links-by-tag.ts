import type { Sql } from '../../platform/database/database.js';
import { organizationTagOf } from '../organization-tag.js';
import { loadSigningKeys } from '../signing-key-store.js';
import { isOneOf } from '../../platform/database/one-of.js';
import { ORGANIZATION_BLOCKS } from './block-kinds.js';
import { blockLinks } from './blocked-links.js';

/**
 * Replaces the entries of an organization in the deny list by its tags, one per signing key: its links stay blocked,
 * and nothing reveals the organization.
 */
export async function blockLinksByTag(sql: Sql, organizationId: string): Promise<void> {
  for (const key of (await loadSigningKeys(sql)).all) {
    await blockLinks(sql, { kind: 'tag', value: `${key.id}:${organizationTagOf(key, organizationId)}` });
  }
  await sql.query(`delete from blocked_links where ${isOneOf('kind', ORGANIZATION_BLOCKS)} and value = $1`, [
    organizationId,
  ]);
}
