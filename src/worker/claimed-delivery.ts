import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DeliveryState, LEASE_MS, type Lease } from '../emails/delivery-state.js';
import type { DeliveryOutcome } from '../providers/provider.js';
import { DeliverySettlement, type Attempt } from './delivery-settlement.js';
import { HeldLeases } from './held-leases.js';

/** Longest time from asking for the claim to the request: whoever stood still for longer may have lost it. */
const STALE_MS = LEASE_MS / 2;
const SETTLE_PAUSE_MS = 1_000;
/** How long the outcome is kept for a Postgres that is away. */
const SETTLE_PATIENCE_MS = 600_000;

/** What happens between the claim and the outcome's record. */
@Injectable()
export class ClaimedDelivery {
  constructor(
    private readonly state: DeliveryState,
    private readonly leases: HeldLeases,
    private readonly settlement: DeliverySettlement,
  ) {}

  /** @param deliver gets the number of this attempt; called only while the lease is certainly ours */
  async run(
    lease: Lease,
    delivery: Pick<Attempt, 'email' | 'urls' | 'replyTo'>,
    deliver: (attempt: number) => DeliveryOutcome | Promise<DeliveryOutcome>,
  ): Promise<void> {
    const askedAt = performance.now();
    const attempt = await this.claim(lease);
    if (attempt === undefined) return;
    return this.leases.during(lease, async () => {
      const outcome = performance.now() - askedAt > STALE_MS ? STOOD_STILL : await deliver(attempt);
      return this.settle({ ...delivery, lease, attempt }, outcome);
    });
  }

  /** A claim whose answer was lost may be ours all the same. Nothing was asked of the provider yet: no doubt is due. */
  private async claim(lease: Lease): Promise<number | undefined> {
    try {
      return await this.state.claim(lease);
    } catch (error) {
      await this.state.giveBack(lease).catch(() => undefined);
      throw error;
    }
  }

  /**
   * What the provider said is known only here: while Postgres is away it is kept and told again and again. Telling
   * it twice is harmless, because the move is bound to the lease; telling it late ends a doubt.
   */
  private async settle(attempt: Attempt, outcome: DeliveryOutcome): Promise<void> {
    const giveUpAt = performance.now() + SETTLE_PATIENCE_MS;
    for (;;) {
      try {
        return await this.settlement.settle(attempt, outcome);
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        await setTimeout(SETTLE_PAUSE_MS);
      }
    }
  }
}

const STOOD_STILL: DeliveryOutcome = { kind: 'retry', reason: 'The worker stood still before the request' };
