const SLOTS = 1 << 16;
const WINDOW_MS = 60_000;

/**
 * Hits per key and minute, in 256 KB whatever the number of keys: a count-min sketch of two rows (Cormode and
 * Muthukrishnan, 2005). It never lets a key exceed the limit; it could refuse one early only if in both rows
 * keys that share its slot made up for the rest.
 */
export class HitLimiter {
  private readonly rows = [new Uint16Array(SLOTS), new Uint16Array(SLOTS)] as const;
  private windowEnds = 0;

  /** @param limit hits per key and minute, below 65,536 */
  constructor(private readonly limit: number) {}

  /** Counts a hit, and says whether the key is still within the limit. */
  allows(key: string, now: number): boolean {
    if (now >= this.windowEnds || now < this.windowEnds - WINDOW_MS) this.startWindow(now);
    const hash = hashOf(key);
    const [first, second] = this.rows;
    const one = hash & (SLOTS - 1);
    const other = hash >>> 16;
    if (first[one]! >= this.limit && second[other]! >= this.limit) return false;
    first[one] = Math.min(first[one]! + 1, this.limit);
    second[other] = Math.min(second[other]! + 1, this.limit);
    return true;
  }

  private startWindow(now: number): void {
    for (const row of this.rows) row.fill(0);
    this.windowEnds = now + WINDOW_MS;
  }
}

/** FNV-1a, 32 bits, with a last stir so that both halves depend on every character. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
