import { NIL_UUID } from '../../platform/database/nil-uuid.js';
import type { Sql } from '../../platform/database/database.js';

/** IDs per statement: to find the next ones may cost as much as to find all. */
const IDS = 5_000;

/** The place of an item in its list, as texts. */
export type ItemPlace = readonly string[];

interface Item {
  readonly item: string;
  readonly place: ItemPlace;
}

/**
 * Pages of JSON items, joined by commas.
 * @param statement whose last values are the place after which it reads, or null, and how many items
 */
export async function* itemPages(
  sql: Sql,
  statement: string,
  values: readonly unknown[],
  size: number,
  after: ItemPlace | null = null,
): AsyncGenerator<string> {
  for (let place = after; ;) {
    const rows = await sql.query<Item & Record<string, unknown>>(statement, [...values, place, size]);
    if (rows.length > 0) yield rows.map(({ item }) => item).join();
    if (rows.length < size) return;
    ({ place } = rows.at(-1)!);
  }
}

/**
 * IDs in short pages, for statements that read their items.
 * @param statement whose last values are the ID after which it reads, and how many
 */
export async function* idPages(
  sql: Sql,
  statement: string,
  values: readonly unknown[],
  size: number,
): AsyncGenerator<string[]> {
  for (let after = NIL_UUID; ;) {
    const rows = await sql.query<{ id: string }>(statement, [...values, after, IDS]);
    const ids = rows.map(({ id }) => id);
    for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
    if (ids.length < IDS) return;
    after = ids.at(-1)!;
  }
}

/** All pages, joined by commas. */
export async function* joined(...sources: readonly AsyncIterable<string>[]): AsyncGenerator<string> {
  let isFirst = true;
  for (const source of sources) {
    for await (const page of source) {
      yield isFirst ? page : `,${page}`;
      isFirst = false;
    }
  }
}

/** Reads the first page, so that it is known whether there is one. */
export async function begun(
  pages: AsyncGenerator<string>,
): Promise<{ readonly isEmpty: boolean; readonly pages: AsyncGenerator<string> }> {
  const first = await pages.next();
  async function* all(): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* pages;
  }
  return { isEmpty: first.done === true, pages: all() };
}
