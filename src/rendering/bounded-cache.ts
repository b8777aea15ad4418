interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

/** A cache with a bounded total size. Evicts the least recently used values. */
export class BoundedCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private size = 0;

  constructor(private readonly maxSize: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    // Re-inserting moves the key to the end of the Map's insertion order.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** Does not keep a value that is larger than the whole cache. @param size in the unit of the maximum */
  set(key: string, value: Value, size: number): void {
    this.delete(key);
    if (size > this.maxSize) return;
    this.entries.set(key, { value, size });
    this.size += size;
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.maxSize) return;
      this.delete(oldest);
    }
  }

  private delete(key: string): void {
    this.size -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
  }
}
