/** An organization has no more providers, domains and webhooks than this, so that one page has all of them. */
export const MAX_ITEMS = 100;

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** True if rows between the first page, read again, and the loaded pages are unknown. */
export function isApart<Item>(
  pages: readonly ListPage<Item>[],
  { items, nextCursor }: ListPage<Item>,
  idOf: (item: Item) => string,
): boolean {
  const known = new Set(pages.flatMap((page) => page.items.map(idOf)));
  return nextCursor !== undefined && items.length > 0 && !items.some((item) => known.has(idOf(item)));
}

/**
 * Merges the first page, read again, into the loaded pages. Rows that belong into it and are missing from it no longer
 * match the filters of the list, or are deleted.
 */
export function withFresh<Item>(
  pages: readonly ListPage<Item>[],
  fresh: ListPage<Item>,
  idOf: (item: Item) => string,
): ListPage<Item>[] {
  const known = new Set(pages.flatMap(({ items }) => items.map(idOf)));
  const last = fresh.items.findLast((item) => known.has(idOf(item)));
  // It is the whole list, or rows between it and the loaded ones are unknown.
  if (fresh.nextCursor === undefined || (last === undefined && fresh.items.length > 0)) return [fresh];
  if (last === undefined) return [...pages];
  const groups = groupsOf(fresh.items, known, idOf);
  let isAfter = false;
  return pages.map((page) => {
    if (isAfter && !page.items.some((item) => groups.has(idOf(item)))) return page;
    const items = page.items.flatMap((item) => {
      const group = groups.get(idOf(item)) ?? (isAfter ? [item] : []);
      isAfter ||= idOf(item) === idOf(last);
      return group;
    });
    return { ...page, items };
  });
}

/**
 * The fresh items by the ID of a known one, each known one with the new ones before it and the last with all others.
 */
function groupsOf<Item>(
  items: readonly Item[],
  known: ReadonlySet<string>,
  idOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  let [waiting, latest]: [Item[], Item[]] = [[], []];
  for (const item of items) {
    waiting.push(item);
    if (!known.has(idOf(item))) continue;
    latest = waiting;
    waiting = [];
    groups.set(idOf(item), latest);
  }
  latest.push(...waiting);
  return groups;
}
