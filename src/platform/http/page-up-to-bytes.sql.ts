import { toPage, type Page } from './paging.js';

/** As objects, JSON and lists of names take up to forty times as much memory as their bytes. */
const PAGE_BYTES = 1024 * 1024;

/** A row of such a page. */
export interface RowUpToBytes {
  /** Rows of the page, whatever their length. */
  readonly found: number;
}

/**
 * The rows of a page until they have about a megabyte, but at least one, and the row behind them: with large rows, a
 * number of rows does not bound the memory of a process, which serves all organizations.
 * @param page a query that returns `bytes` beside its columns, of which none is null
 * @param order the order of the page, by its columns
 */
export function pageUpToBytes(page: string, order: string): string {
  return `
with page as (
  select *, count(*) over ()::integer as found,
         sum(bytes) over (order by ${order} rows between unbounded preceding and 2 preceding) as bytes_before
    from (${page}) r
)
select * from page where coalesce(bytes_before, 0) < ${PAGE_BYTES} order by ${order}`;
}

/** As `toPage`, for the rows of `pageUpToBytes`. */
export function toPageUpToBytes<Row extends RowUpToBytes, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  keyOf: (row: Row) => readonly string[],
): Page<Item> {
  const isCut = rows.length < (rows[0]?.found ?? 0);
  return toPage(rows, isCut ? rows.length - 1 : limit, toItem, keyOf);
}
