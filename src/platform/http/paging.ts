export const MAX_PAGE = 1000;

/** The requested part of a list. `after` is the sort key of the previous page's last item. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: readonly string[];
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Sort key of the last item, if more items follow. */
  readonly next?: readonly string[];
}

/** True for a timestamp in the format of our responses. Postgres can parse such a cursor part. */
export function isTimestamp(text: string): boolean {
  const time = /^[12]\d{3}-.{19}$/.test(text) ? new Date(text) : new Date(NaN);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Builds a page from the rows of a query with `limit + 1`; the extra row shows that another page follows. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  keyOf: (row: Row) => readonly string[],
): Page<Item> {
  const kept = rows.slice(0, limit);
  const last = kept[kept.length - 1];
  return { items: kept.map(toItem), ...(rows.length > limit && last && { next: keyOf(last) }) };
}
