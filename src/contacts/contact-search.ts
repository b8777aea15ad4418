import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { PageRequest } from '../platform/http/paging.js';
import { storedPart } from '../platform/addresses/stored-part.js';
import { searchLetters, trigramCondition } from './search-encoding.js';

/** Number of most recent contacts that are scanned first. */
const NEAR = 2_000;
/** If fewer of them match, their share says too little about how far a longer scan would have to go. */
const COMMON = 10;
/** The longer scan reads this many times the expected number of contacts. */
const MARGIN = 1.5;
/**
 * How many contacts a scan reads in the time in which the index finds and sorts one match: each match is on a page of
 * its own in two tables, while the scan reads an index in its order (5 and 0.2 µs with a million contacts).
 */
const SCANNED_PER_MATCH = 25;
/** The same for a match of another organization, which is in one table only (1.5 and 0.2 µs). */
const SCANNED_PER_FOREIGN_MATCH = 7;
const EVERYTHING = 2_000_000_000;

type IndexCondition = NonNullable<ReturnType<typeof trigramCondition>>;

interface Found {
  id: string;
}

/**
 * Finds contacts by part of their address, most recent activity first.
 * A common part is found by a scan back in time until the page is full, a rare part by the trigram index. Each way
 * would take seconds for the other case, and table statistics, which cover all organizations, cannot distinguish them.
 * The share of matches among the most recent contacts decides: the scan is longer the rarer they are, and the index has
 * more matches the more contacts there are. Table statistics show whether a part that is rare here is common elsewhere.
 */
@Injectable()
export class ContactSearch {
  constructor(private readonly database: Database) {}

  /** Returns the IDs of a page plus one, most recent activity first. @param text part of the address, not empty */
  async find(organizationId: string, text: string, page: PageRequest): Promise<string[]> {
    const part = storedPart(text);
    const letters = searchLetters(part);
    if (letters === undefined) return [];
    const near = await this.scanRecent(organizationId, part, page);
    if (near.areAll || near.ids.length > page.limit) return near.ids;
    if (near.ids.length >= COMMON) {
      const share = near.ids.length / NEAR;
      const depth = Math.ceil((MARGIN * (page.limit + 1)) / share);
      if (depth < SCANNED_PER_MATCH * share * near.searchable) {
        const far = await this.scanBack(organizationId, part, page, depth);
        if (far.length > page.limit) return far;
      }
    }
    const condition = trigramCondition(letters);
    if (!condition) return this.scanBack(organizationId, part, page, EVERYTHING);
    // Organizations share the index, and what is rare in this one may be common elsewhere: scans at most as long as the
    // index would take, so that others cannot make a search of few contacts slow.
    const depth = Math.min(EVERYTHING, SCANNED_PER_FOREIGN_MATCH * (await this.estimateMatches(condition)));
    if (depth > NEAR) {
      const own = await this.scanBack(organizationId, part, page, depth);
      if (own.length > page.limit || !(await this.hasMoreThan(organizationId, depth, page))) return own;
    }
    return this.queryIndex(organizationId, condition, page);
  }

  /** The matches of all organizations, by the statistics of Postgres: accurate enough if they are many. */
  private async estimateMatches({ operator, pattern }: IndexCondition): Promise<number> {
    const [row] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `explain (format json) select from contact_search where letters ${operator} $1`,
      [pattern],
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  }

  private async hasMoreThan(organizationId: string, contacts: number, page: PageRequest): Promise<boolean> {
    const rows = await this.database.query(
      `select from contacts
        where organization_id = $1 and ($2::timestamptz is null or (last_activity_at, id) < ($2, $3::bigint))
        order by last_activity_at desc, id desc offset $4 limit 1`,
      [organizationId, ...cursorOf(page), contacts],
    );
    return rows.length > 0;
  }

  /**
   * Scans the most recent contacts. `areAll` is true when there are no more. `searchable` estimates the number of
   * contacts of all organizations, which share the index.
   */
  private async scanRecent(
    organizationId: string,
    part: string,
    page: PageRequest,
  ): Promise<{ ids: string[]; areAll: boolean; searchable: number }> {
    const [row] = await this.database.query<{ ids: string[]; scanned: number; searchable: number }>(
      `with recent as materialized (
         select id, address_key, last_activity_at from contacts
          where organization_id = $1 and ($3::timestamptz is null or (last_activity_at, id) < ($3, $4::bigint))
          order by last_activity_at desc, id desc limit $6
       )
       select (select count(*)::int from recent) as scanned,
         (select reltuples::float8 from pg_class where oid = 'contact_search'::regclass) as searchable,
         array(select recent.id from recent where strpos(address_key, $2) > 0
                order by last_activity_at desc, recent.id desc limit $5)::text[] as ids`,
      [organizationId, part, ...cursorOf(page), page.limit + 1, NEAR],
    );
    const { ids, scanned, searchable } = row!;
    // Without statistics, a scan is never much slower than for a large table.
    return { ids, areAll: scanned < NEAR, searchable: searchable < 0 ? Infinity : searchable };
  }

  private async scanBack(organizationId: string, part: string, page: PageRequest, depth: number): Promise<string[]> {
    const rows = await this.database.query<Found>(
      `select id from (
         select id, address_key from contacts
          where organization_id = $1 and ($3::timestamptz is null or (last_activity_at, id) < ($3, $4::bigint))
          order by last_activity_at desc, id desc limit $6
       ) recent where strpos(address_key, $2) > 0 limit $5`,
      [organizationId, part, ...cursorOf(page), page.limit + 1, depth],
    );
    return rows.map(({ id }) => id);
  }

  private async queryIndex(
    organizationId: string,
    { operator, pattern }: IndexCondition,
    page: PageRequest,
  ): Promise<string[]> {
    const rows = await this.database.query<Found>(
      `select id from contacts
        where id = any(array(
                select contact_id from contact_search where organization_id = $1 and letters ${operator} $2))
          and ($3::timestamptz is null or (last_activity_at, id) < ($3, $4::bigint))
        order by last_activity_at desc, id desc limit $5`,
      [organizationId, pattern, ...cursorOf(page), page.limit + 1],
    );
    return rows.map(({ id }) => id);
  }
}

function cursorOf({ after }: PageRequest): [string | null, string | null] {
  return [after?.[0] ?? null, after?.[1] ?? null];
}
