import { isHit } from '../is-hit.sql.js';
import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { KnownEmail } from './lock-emails.js';
import type { ClassifiedHit } from './rules/hit.js';

/** Hits of an email between two times, in milliseconds since the Unix epoch. */
export interface TimeRange {
  readonly email: KnownEmail;
  readonly from: number;
  readonly until: number;
}

/**
 * By the index over the events of a contact: an event has a row for each contact of its email.
 * $1 email ids, $2 first contacts, $3 and $4 ranges, $5 and $6 the range over all, which chooses the partitions.
 */
const FIND = `
select v.id, v.email_id as "emailId", v.link_position as position, v.verdict
from unnest($1::uuid[], $2::bigint[], $3::float8[], $4::float8[]) as range (email_id, contact_id, earliest, latest)
join events v on v.contact_id = range.contact_id and v.email_id = range.email_id and v.ordinal = 1
  and v.occurred_at between to_timestamp(range.earliest / 1000) and to_timestamp(range.latest / 1000)
where ${isHit('v.type')} and v.occurred_at between to_timestamp($5::float8 / 1000) and to_timestamp($6::float8 / 1000)`;

/** Finds stored hits, by email ID. */
export async function findEarlierHits(
  sql: Sql,
  ranges: readonly TimeRange[],
): Promise<ReadonlyMap<string, ClassifiedHit[]>> {
  const found = new Map<string, ClassifiedHit[]>();
  if (ranges.length === 0) return found;
  const rows = await sql.prepared<Omit<ClassifiedHit, 'at'> & { emailId: string }>('flush-find-earlier-hits', FIND, [
    plainArray(ranges.map(({ email }) => email.id)),
    plainArray(ranges.map(({ email }) => email.contactIds[0]!)),
    plainArray(ranges.map(({ from }) => from)),
    plainArray(ranges.map(({ until }) => until)),
    ranges.reduce((earliest, { from }) => Math.min(earliest, from), Infinity),
    ranges.reduce((latest, { until }) => Math.max(latest, until), -Infinity),
  ]);
  for (const { emailId, ...hit } of rows) {
    const hits = found.get(emailId);
    if (hits) hits.push({ ...hit, at: timeOfUuidV7(hit.id) });
    else found.set(emailId, [{ ...hit, at: timeOfUuidV7(hit.id) }]);
  }
  return found;
}

/** The numbers of tracked links of sent emails. $1 ids. */
const COUNT_LINKS =
  'select email_id as id, cardinality(urls) as count from email_links where email_id = any($1::uuid[])';

export async function countLinks(sql: Sql, emailIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (emailIds.length === 0) return new Map();
  const rows = await sql.prepared<{ id: string; count: number }>('flush-count-links', COUNT_LINKS, [emailIds]);
  return new Map(rows.map(({ id, count }) => [id, count]));
}
