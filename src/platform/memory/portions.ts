/** Splits items, in their order, into portions of at most `maxBytes`, or of one longer item alone. */
export function portionsOf<Item>(items: readonly Item[], maxBytes: number, bytesOf: (item: Item) => number): Item[][] {
  const portions: Item[][] = [];
  let left = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (portions.length === 0 || bytes > left) {
      portions.push([]);
      left = maxBytes;
    }
    portions.at(-1)!.push(item);
    left -= bytes;
  }
  return portions;
}
