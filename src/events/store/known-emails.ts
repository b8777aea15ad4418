import type { Sql } from '../../platform/database/database.js';
import { splitNames } from '../email-names.js';

/** Excludes erased emails: like a flush, the store drops events that still arrive for them. $1 tracking IDs, $2 IDs. */
const FIND = `
select id, tracking_id as "trackingId" from emails
 where contact_ids <> '{}' and (tracking_id = any($1::text[]) or id = any($2::uuid[]))`;

/** @param names IDs or tracking IDs of emails @returns the tracking IDs of the known ones, by ID and by tracking ID */
export async function knownEmails(sql: Sql, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const split = splitNames(names);
  if (!split) return new Map();
  const rows = await sql.query<{ id: string; trackingId: string }>(FIND, [split.trackingIds, split.ids]);
  return new Map(rows.flatMap(({ id, trackingId }) => [[id, trackingId] as const, [trackingId, trackingId] as const]));
}
