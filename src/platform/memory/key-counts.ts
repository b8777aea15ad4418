/** Counts per key, without keys whose count is zero. */
export class KeyCounts extends Map<string, number> {
  countOf(key: string): number {
    return this.get(key) ?? 0;
  }

  /** @param amount negative to count down */
  add(key: string, amount: number): void {
    const count = this.countOf(key) + amount;
    if (count > 0) this.set(key, count);
    else this.delete(key);
  }
}
