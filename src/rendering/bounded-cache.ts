/** A cache of texts with a bounded total length. Evicts the least recently used texts. */
export class BoundedCache {
  private readonly texts = new Map<string, string>();
  private length = 0;

  /** @param maxLength total characters of all texts */
  constructor(private readonly maxLength: number) {}

  get(key: string): string | undefined {
    const text = this.texts.get(key);
    if (text === undefined) return undefined;
    // Re-inserting moves the key to the end of the Map's insertion order.
    this.texts.delete(key);
    this.texts.set(key, text);
    return text;
  }

  set(key: string, text: string): void {
    this.length += text.length - (this.texts.get(key)?.length ?? 0);
    this.texts.delete(key);
    this.texts.set(key, text);
    for (const [oldest, { length }] of this.texts) {
      if (this.length <= this.maxLength) return;
      this.texts.delete(oldest);
      this.length -= length;
    }
  }
}
