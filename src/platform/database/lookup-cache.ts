import type { Clock } from '../clock/clock.js';
import { BoundedMap } from '../memory/bounded-map.js';

interface Entry<Found> {
  readonly found: Promise<Found>;
  readonly expiresAt: number;
}

/** Keeps the results of lookups for a while, so that concurrent and repeated ones share a query. */
export class LookupCache<Found> {
  /** Evicts the oldest entry, so that random keys do not displace real ones for long. */
  private readonly entries: BoundedMap<string, Entry<Found>>;

  /** @param clock one that is never set back, which would keep results for longer */
  constructor(
    private readonly clock: Clock,
    private readonly keptMs: number,
    maxEntries: number,
  ) {
    this.entries = new BoundedMap(maxEntries);
  }

  /**
   * Returns the cached result for `key`, or looks it up. A failed lookup is not cached.
   * @param isKept returns true for results to cache
   */
  find(key: string, lookUp: () => Promise<Found>, isKept: (found: Found) => boolean = () => true): Promise<Found> {
    const now = this.clock.now();
    const known = this.entries.get(key);
    if (known && known.expiresAt > now) return known.found;
    const entry = { found: lookUp(), expiresAt: now + this.keptMs };
    this.entries.set(key, entry);
    const drop = (): void => this.drop(key, entry);
    entry.found.then((result) => isKept(result) || drop(), drop);
    return entry.found;
  }

  /** A lookup that takes longer than its cache time may have a successor under its key, which stays. */
  private drop(key: string, entry: Entry<Found>): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }
}
