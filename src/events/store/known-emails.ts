import { isUuid } from '../../platform/clock/uuid-v7.js';
import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';

/** Excludes erased emails: like a flush, the store drops events that still arrive for them. $1 tracking IDs, $2 IDs. */
const FIND = `
select id, tracking_id as "trackingId" from emails
 where contact_ids <> '{}' and (tracking_id = any($1::text[]) or id = any($2::uuid[]))`;

/** Other names come from damaged entries, which the flushers store as dead letters. */
const NAME = /^[\w-]{1,255}$/;

/** @param names IDs or tracking IDs of emails @returns the tracking IDs of the known ones, by ID and by tracking ID */
export async function knownEmails(sql: Sql, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const unique = [...new Set(names)].filter((name) => NAME.test(name));
  if (unique.length === 0) return new Map();
  const [ids, trackingIds] = [unique.filter(isUuid), unique.filter((name) => !isUuid(name))];
  const rows = await sql.query<{ id: string; trackingId: string }>(FIND, [textArray(trackingIds), plainArray(ids)]);
  return new Map(rows.flatMap(({ id, trackingId }) => [[id, trackingId] as const, [trackingId, trackingId] as const]));
}
