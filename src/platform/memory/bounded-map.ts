/** A map of a bounded size. A new key evicts the one that was set the longest ago; setting a key again renews it. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  /** Kept, because a new iterator first has to skip all keys that were evicted since the map last grew. */
  private oldest = this.keys();

  constructor(private readonly maxSize: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.maxSize) this.evict();
    return super.set(key, value);
  }

  private evict(): void {
    let next = this.oldest.next();
    // An iterator that has reached the end stays there.
    if (next.done) next = (this.oldest = this.keys()).next();
    if (!next.done) this.delete(next.value);
  }
}
