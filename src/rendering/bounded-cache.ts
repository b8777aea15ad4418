/** Texts by key, the least recently used of which go when together they are too long. */
export class BoundedCache {
  private readonly texts = new Map<string, string>();
  private length = 0;

  /** @param maxLength characters of all texts together */
  constructor(private readonly maxLength: number) {}

  get(key: string): string | undefined {
    const text = this.texts.get(key);
    if (text === undefined) return undefined;
    // A Map keeps the order of insertion: what was used last goes to its end.
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
