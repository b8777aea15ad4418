import type { Observations } from '../observations.js';

/** Effects of a fault that are unavoidable, as exceptions to the invariants. */
export interface Allowance {
  /**
   * `unknown`: two attempts of an email may end with an unknown outcome. `any`: the provider refuses emails
   * permanently.
   */
  readonly failures: 'none' | 'unknown' | 'any';
  /** The number of emails that may be flagged without an observed unknown outcome. */
  readonly unconfirmedFlags: number;
}

export const NOTHING_ALLOWED: Allowance = { failures: 'none', unconfirmedFlags: 0 };

/** Yields a sentence for each violation. */
export type Invariant = (observations: Observations, allowance: Allowance) => Iterable<string>;

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

export function countBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, number> {
  return new Map([...groupBy(items, keyOf)].map(([key, group]) => [key, group.length]));
}

/** Whether two lists contain the same values in the same order. */
export function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Compares two tables of numbers; a missing entry is 0. */
export function* differences(
  what: string,
  found: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
): Iterable<string> {
  for (const name of new Set([...found.keys(), ...expected.keys()])) {
    const [is, should] = [found.get(name) ?? 0, expected.get(name) ?? 0];
    if (is !== should) yield `${what} of ${name}: ${is}, not ${should}`;
  }
}

/** An email counts for its campaign and contacts unless it failed or was canceled. */
export function counts({ status }: { readonly status: string }): boolean {
  return status !== 'failed' && status !== 'canceled';
}
