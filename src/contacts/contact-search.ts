import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { PageRequest } from '../platform/http/paging.js';
import { searchLetters, trigramCondition } from './search-encoding.js';

/** How many of the most recent contacts are looked through for a part that may be common. */
const NEAR = 2_000;
/** Matches among them from which on looking further is cheaper than ordering all that the index finds. */
const COMMON = 20;
/** How much further than they let expect. */
const MARGIN = 1.5;
const EVERYTHING = 2_000_000_000;

interface Found {
  id: string;
}

/**
 * Finds contacts by part of their address, most recent activity first.
 * A common part is found by going back in time until the page is full, a rare one by trigrams; either way would take
 * seconds for what suits the other, and statistics cannot tell the two apart. So the most recent contacts decide.
 */
@Injectable()
export class ContactSearch {
  constructor(private readonly database: Database) {}

  /** Ids of a page and one more, most recent activity first. @param part not empty */
  async find(organizationId: string, part: string, page: PageRequest): Promise<string[]> {
    const letters = searchLetters(part);
    if (letters === undefined) return [];
    const near = await this.lookAtRecent(organizationId, part, page);
    if (near.areAll || near.ids.length > page.limit) return near.ids;
    if (near.ids.length >= COMMON) {
      const depth = Math.ceil((MARGIN * NEAR * (page.limit + 1)) / near.ids.length);
      const far = await this.lookBack(organizationId, part, page, depth);
      if (far.length > page.limit) return far;
    }
    const condition = trigramCondition(letters);
    if (!condition) return this.lookBack(organizationId, part, page, EVERYTHING);
    return this.askIndex(organizationId, condition, page);
  }

  /** Looks through the most recent contacts, which may be all that there are. */
  private async lookAtRecent(
    organizationId: string,
    part: string,
    page: PageRequest,
  ): Promise<{ ids: string[]; areAll: boolean }> {
    const [row] = await this.database.query<{ ids: string[]; looked: number }>(
      `with recent as materialized (
         select id, address_key, last_activity_at from contacts
          where organization_id = $1 and ($3::timestamptz is null or (last_activity_at, id) < ($3, $4::bigint))
          order by last_activity_at desc, id desc limit $6
       )
       select (select count(*)::int from recent) as looked,
         array(select recent.id from recent where strpos(address_key, $2) > 0
                order by last_activity_at desc, recent.id desc limit $5)::text[] as ids`,
      [organizationId, part.toLowerCase(), ...cursorOf(page), page.limit + 1, NEAR],
    );
    return { ids: row!.ids, areAll: row!.looked < NEAR };
  }

  private async lookBack(organizationId: string, part: string, page: PageRequest, depth: number): Promise<string[]> {
    const rows = await this.database.query<Found>(
      `select id from (
         select id, address_key from contacts
          where organization_id = $1 and ($3::timestamptz is null or (last_activity_at, id) < ($3, $4::bigint))
          order by last_activity_at desc, id desc limit $6
       ) recent where strpos(address_key, $2) > 0 limit $5`,
      [organizationId, part.toLowerCase(), ...cursorOf(page), page.limit + 1, depth],
    );
    return rows.map(({ id }) => id);
  }

  private async askIndex(
    organizationId: string,
    { operator, pattern }: { operator: 'like' | '~'; pattern: string },
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
