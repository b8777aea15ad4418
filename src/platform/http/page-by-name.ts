import { containsText } from '../database/contains-text.sql.js';
import type { Sql } from '../database/database.js';
import { NIL_UUID } from '../database/nil-uuid.js';
import { toPage, type Page, type PageRequest } from './paging.js';

/** How many names a page of a search reads. They take 3 to 10 ms. */
const MAX_NAMES = 2_000;
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Items of organization $1 before ID $2, all of them if it is null. Rows are compared, and sorted by both columns,
 * because for one organization Postgres may read the newer items of all organizations in the order of their IDs.
 */
export const IN_PAGE = `(organization_id, id) >= ($1::uuid, '${NIL_UUID}'::uuid)
  and (organization_id, id) < ($1::uuid, coalesce($2::uuid, '${LAST_UUID}'))`;

interface NameSearch {
  /** SQL: a table, or a query of it, with `id`, `name` and `organization_id`, and an index by organization and ID. */
  readonly table: string;
  readonly organizationId: string;
  /** Part of the name, in upper or lower case; empty for all items. */
  readonly search: string;
}

/**
 * A page of the items of an organization whose name contains a text, newest first. If few match, it ends before its
 * limit, so that it takes no longer with a million items.
 * @param read reads a page, only of the items with these IDs unless they are null
 */
export async function pageByName<Item>(
  sql: Pick<Sql, 'query'>,
  names: NameSearch,
  page: PageRequest,
  read: (ids: readonly string[] | null) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  if (names.search === '') return read(null);
  const { items: ids, next } = await findIds(sql, names, page);
  const { items } = await read(ids);
  return { items, ...(next && { next }) };
}

/** Uses one statement, so that an item that is added or deleted meanwhile does not move the end of the page. */
async function findIds(
  sql: Pick<Sql, 'query'>,
  { table, organizationId, search }: NameSearch,
  { limit, after }: PageRequest,
): Promise<Page<string>> {
  const [row] = await sql.query<{ ids: string[]; last: string | null }>(
    `with searched as materialized (
       select id, name from ${table}
        where ${IN_PAGE} order by organization_id desc, id desc limit $3
     )
     select array(select id from searched where ${containsText('name', '$4')} order by id desc limit $5)::text[] as ids,
            (select id from searched order by id desc offset $3 - 1 limit 1) as last`,
    [organizationId, after?.[0] ?? null, MAX_NAMES, search, limit + 1],
  );
  const { ids, last } = row!;
  const found = toPage(ids, limit, String, (id) => [id]);
  return found.next === undefined && last !== null ? { ...found, next: [last] } : found;
}
