import { setTimeout } from 'node:timers/promises';

/** Lookups within this time share a query. */
const BATCH_MS = 20;

/** Keys of the next query. */
interface Batch<Found> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Found>>;
}

/** Looks up keys that are probably guesses: one query at a time and at most 50 a second, for any number of keys. */
export class LookupBatch<Found> {
  private last: Promise<unknown> = Promise.resolve();
  private next: Batch<Found> | undefined;

  constructor(private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {}

  async find(key: string): Promise<Found | undefined> {
    this.next ??= this.startBatch();
    this.next.keys.add(key);
    return (await this.next.found).get(key);
  }

  private startBatch(): Batch<Found> {
    const keys = new Set<string>();
    const found = this.last.then(async () => {
      await setTimeout(BATCH_MS);
      this.next = undefined;
      return this.read([...keys]);
    });
    this.last = found.catch(() => undefined);
    return { keys, found };
  }
}
