import type { StreamEntry } from './stream-entry.js';

/**
 * Splits entries, in their order, into parts whose events fit into little memory: an entry has one event or hundreds, and
 * decoded events take ten times their bytes.
 * @param bytes of a part; a longer entry is one alone
 */
export function* partsOf(entries: readonly StreamEntry[], bytes: number): Iterable<readonly StreamEntry[]> {
  let first = 0;
  let sum = 0;
  for (const [index, { raw }] of entries.entries()) {
    const length = raw?.length ?? 0;
    if (index > first && sum + length > bytes) {
      yield entries.slice(first, index);
      [first, sum] = [index, 0];
    }
    sum += length;
  }
  if (first < entries.length) yield entries.slice(first);
}
