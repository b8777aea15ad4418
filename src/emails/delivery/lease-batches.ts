import { Batcher } from '../../platform/database/batcher.js';
import type { Lease } from './lease.js';

const MAX_BATCH = 100;
/** A statement that takes longer probably waits for a lock, and no longer holds up the emails that come after it. */
const PATIENCE_MS = 500;

/**
 * Shares statements between concurrent deliveries. Emails of broadcasts have separate batches: one statement runs at a
 * time, theirs is usually full, and another email would wait for it twice, to be claimed and to be recorded.
 */
export class LeaseBatches<Item, Result> {
  private readonly ofBroadcasts: Batcher<readonly [Lease, Item], Result>;
  private readonly ofOthers: Batcher<readonly [Lease, Item], Result>;

  /** @param run returns one result per item, in order; must be atomic per batch */
  constructor(run: (items: readonly (readonly [Lease, Item])[]) => Promise<readonly Result[]>) {
    const options = { maxItems: MAX_BATCH, locksRows: true, overlapAfterMs: PATIENCE_MS };
    this.ofBroadcasts = new Batcher(run, options);
    this.ofOthers = new Batcher(run, options);
  }

  call(lease: Lease, item: Item): Promise<Result> {
    return (lease.isOfBroadcast ? this.ofBroadcasts : this.ofOthers).call([lease, item]);
  }
}
