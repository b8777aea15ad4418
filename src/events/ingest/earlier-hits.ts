import { isHit } from '../is-hit.sql.js';
import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { contactOf, splitByContact } from './busy-contacts.js';
import type { KnownEmail } from './lock-emails.js';
import type { ClassifiedHit } from './rules/hit.js';

/** Hits of an email between two times, in milliseconds since the Unix epoch. */
export interface TimeRange {
  readonly email: KnownEmail;
  readonly from: number;
  readonly until: number;
}

type FoundHit = Omit<ClassifiedHit, 'at'> & { readonly emailId: string };

const COLUMNS = `v.id, v.email_id as "emailId", v.link_position as position, v.verdict`;

/**
 * By the index over the events of a contact. $1 email ids, $2 first contacts, $3 and $4 ranges, $5 and $6 the range
 * over all, which chooses the partitions.
 */
const FIND = `
select ${COLUMNS}
from unnest($1::uuid[], $2::bigint[], $3::float8[], $4::float8[]) as range (email_id, contact_id, earliest, latest)
join events v on v.contact_id = range.contact_id and v.email_id = range.email_id and v.ordinal = 1
  and v.occurred_at between to_timestamp(range.earliest / 1000) and to_timestamp(range.latest / 1000)
where ${isHit('v.type')} and v.occurred_at between to_timestamp($5::float8 / 1000) and to_timestamp($6::float8 / 1000)`;

/** The same with ranges of contacts, whose events are read once for all emails. $1 email ids. */
const FIND_OF_BUSY = `
with near as materialized (
  select v.*
  from unnest($2::bigint[], $3::float8[], $4::float8[]) as range (contact_id, earliest, latest)
  join events v on v.contact_id = range.contact_id and v.ordinal = 1
    and v.occurred_at between to_timestamp(range.earliest / 1000) and to_timestamp(range.latest / 1000)
  where ${isHit('v.type')} and v.occurred_at between to_timestamp($5::float8 / 1000) and to_timestamp($6::float8 / 1000)
)
select ${COLUMNS} from near v where v.email_id = any($1::uuid[])`;

/** Finds stored hits, by email ID. @param ranges those of one email do not overlap */
export async function findEarlierHits(
  sql: Sql,
  ranges: readonly TimeRange[],
): Promise<ReadonlyMap<string, ClassifiedHit[]>> {
  const found = new Map<string, ClassifiedHit[]>();
  const { ofBusy, ofOthers } = splitByContact(ranges);
  for (const row of [...(await findOfOthers(sql, ofOthers)), ...(await findOfBusy(sql, ofBusy))]) {
    const { emailId, ...hit } = row;
    const hits = found.get(emailId);
    if (hits) hits.push({ ...hit, at: timeOfUuidV7(hit.id) });
    else found.set(emailId, [{ ...hit, at: timeOfUuidV7(hit.id) }]);
  }
  return found;
}

async function findOfOthers(sql: Sql, ranges: readonly TimeRange[]): Promise<FoundHit[]> {
  if (ranges.length === 0) return [];
  return sql.prepared<FoundHit>('flush-find-earlier-hits', FIND, [
    plainArray(ranges.map(({ email }) => email.id)),
    plainArray(ranges.map(({ email }) => contactOf(email))),
    ...boundsOf(ranges),
  ]);
}

/** Not prepared: only a plan for these emails looks them up in a hash table. */
async function findOfBusy(sql: Sql, ranges: readonly TimeRange[]): Promise<FoundHit[]> {
  if (ranges.length === 0) return [];
  const ofContacts = [...grouped(ranges, ({ email }) => contactOf(email))].flatMap(([contact, all]) =>
    mergedRanges(all).map((range) => ({ contact, ...range })),
  );
  const ofEmails = grouped(ranges, ({ email }) => email.id);
  const rows = await sql.query<FoundHit>(FIND_OF_BUSY, [
    plainArray([...ofEmails.keys()]),
    plainArray(ofContacts.map(({ contact }) => contact)),
    ...boundsOf(ofContacts),
  ]);
  return rows.filter(({ id, emailId }) => {
    const at = timeOfUuidV7(id);
    return ofEmails.get(emailId)!.some(({ from, until }) => at >= from && at <= until);
  });
}

function grouped(ranges: readonly TimeRange[], keyOf: (range: TimeRange) => string): Map<string, TimeRange[]> {
  const groups = new Map<string, TimeRange[]>();
  for (const range of ranges) {
    const group = groups.get(keyOf(range));
    if (group) group.push(range);
    else groups.set(keyOf(range), [range]);
  }
  return groups;
}

/** The starts, the ends, the first start and the last end. */
function boundsOf(ranges: readonly Omit<TimeRange, 'email'>[]): unknown[] {
  return [
    plainArray(ranges.map(({ from }) => from)),
    plainArray(ranges.map(({ until }) => until)),
    ranges.reduce((earliest, { from }) => Math.min(earliest, from), Infinity),
    ranges.reduce((latest, { until }) => Math.max(latest, until), -Infinity),
  ];
}

/** Joins ranges that overlap, so that no hit is found twice. */
export function mergedRanges(ranges: readonly Omit<TimeRange, 'email'>[]): Omit<TimeRange, 'email'>[] {
  const joined: { from: number; until: number }[] = [];
  for (const { from, until } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else joined.push({ from, until });
  }
  return joined;
}

/** The numbers of tracked links of sent emails. $1 ids. */
const COUNT_LINKS =
  'select email_id as id, cardinality(urls) as count from email_links where email_id = any($1::uuid[])';

export async function countLinks(sql: Sql, emailIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (emailIds.length === 0) return new Map();
  const rows = await sql.prepared<{ id: string; count: number }>('flush-count-links', COUNT_LINKS, [emailIds]);
  return new Map(rows.map(({ id, count }) => [id, count]));
}
