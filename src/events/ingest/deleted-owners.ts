import { DenyList, type StoredBlocks } from '../../links/blocking/deny-list.js';
import { carriedTagOf } from '../../links/organization-tag.js';
import { findSigningKeys } from '../../links/signing-key-store.js';
import type { Sql } from '../../platform/database/database.js';

/** Organizations that are being deleted, and the tags of those that are. No value contains a space. */
const DELETED = `
select kind, string_agg(value, ' ') as entries from blocked_links where kind in ('deleted', 'tag') group by kind`;

/**
 * Of emails that no longer exist, those of deleted organizations, as the tags in their tracking IDs show. IDs of
 * earlier releases have none.
 */
export async function ofDeletedOrganizations(sql: Sql, trackingIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (trackingIds.size === 0) return new Set();
  const kinds = await sql.query<{ kind: keyof StoredBlocks; entries: string }>(DELETED);
  const keys = kinds.length > 0 ? await findSigningKeys(sql) : undefined;
  if (!keys) return new Set();
  const list = new DenyList(Object.fromEntries(kinds.map(({ kind, entries }) => [kind, entries.split(' ')])));
  const isDeleted = (trackingId: string): boolean => {
    const carried = carriedTagOf(keys, trackingId);
    return carried !== undefined && list.kindOfTag(keys, carried) === 'deleted';
  };
  return new Set([...trackingIds].filter(isDeleted));
}
