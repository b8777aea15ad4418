/** A map of a bounded size. A new key evicts the one that was set the longest ago; setting a key again renews it. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  /**
   * Kept from one eviction to the next, because a new iterator first has to skip all keys that were evicted since the
   * map last grew. Not kept longer: an iterator holds all tables that the map has outgrown since its last step.
   */
  private oldest: MapIterator<Key> | undefined;

  constructor(private readonly maxSize: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.maxSize) this.evict();
    else this.oldest = undefined;
    return super.set(key, value);
  }

  private evict(): void {
    let next = this.oldest?.next();
    // An iterator that has reached the end stays there.
    if (!next || next.done) next = (this.oldest = this.keys()).next();
    if (!next.done) this.delete(next.value);
  }
}
