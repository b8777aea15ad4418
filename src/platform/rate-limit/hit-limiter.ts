const MINUTE_MS = 60_000;

/**
 * Limits hits per key and window in constant memory: a count-min sketch of two rows (Cormode and Muthukrishnan, 2005)
 * with conservative update (Estan and Varghese, 2002). A key never exceeds the limit. A key is refused early only if
 * other keys share its slots in both rows.
 */
export class HitLimiter {
  private readonly rows: readonly [Uint16Array, Uint16Array];
  private windowEnds = 0;

  /**
   * @param limit hits per key and window, below 65,536
   * @param bits from 16 to 20. A row has 2 ** bits slots of two bytes. All hits of a window divided by the number of
   *   slots should stay well below the limit.
   */
  constructor(
    private readonly limit: number,
    private readonly bits = 16,
    private readonly windowMs = MINUTE_MS,
  ) {
    this.rows = [new Uint16Array(1 << bits), new Uint16Array(1 << bits)];
  }

  /** Counts a hit, and returns whether the key is still within the limit. */
  allows(key: string, now: number): boolean {
    if (now >= this.windowEnds || now < this.windowEnds - this.windowMs) this.startWindow(now);
    const hash = hashOf(key);
    const [first, second] = this.rows;
    const one = hash & (first.length - 1);
    const other = hash >>> (32 - this.bits);
    const count = Math.min(first[one]!, second[other]!);
    if (count >= this.limit) return false;
    if (first[one] === count) first[one]!++;
    if (second[other] === count) second[other]!++;
    return true;
  }

  private startWindow(now: number): void {
    for (const row of this.rows) row.fill(0);
    this.windowEnds = now + this.windowMs;
  }
}

/** FNV-1a with 32 bits and a final mix, so that both halves depend on every character. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
