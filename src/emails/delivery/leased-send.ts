import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DeliveryState } from './delivery-state.js';
import type { DeliveryOutcome, HandOver } from '../../providers/provider.js';
import { DeliverySettlement, type DeliveryAttempt } from './delivery-settlement.js';
import { EmailClaim } from './email-claim.js';
import { HeldLeases } from './held-leases.js';
import type { Lease } from './lease.js';

const SETTLE_RETRY_MS = 1_000;
/** How long to retry recording the outcome while Postgres is unavailable. */
const SETTLE_GIVE_UP_MS = 600_000;

/** Runs a delivery under a lease and records its outcome. */
@Injectable()
export class LeasedSend {
  constructor(
    private readonly state: DeliveryState,
    private readonly leases: HeldLeases,
    private readonly settlement: DeliverySettlement,
  ) {}

  /**
   * @param deliver claims the email through its argument; if it ends without doing so, the claim is made to record
   * the outcome. An email that another worker holds is left alone.
   */
  run(
    lease: Lease,
    delivery: Pick<DeliveryAttempt, 'email' | 'urls' | 'waitingInstance'>,
    deliver: (handOver: HandOver) => DeliveryOutcome | Promise<DeliveryOutcome>,
  ): Promise<void> {
    const claim = new EmailClaim(this.state, lease);
    return this.leases.during(lease, async () => {
      const outcome = await deliver(() => claim.allowsHandOver());
      const attempt = await claim.attempt();
      if (attempt === undefined) return;
      await this.settle({ ...delivery, lease, attempt }, claim.isStale ? STALLED : outcome);
    });
  }

  /**
   * Only this process knows the outcome, so it retries while Postgres is unavailable. Repeats are harmless because
   * the transition requires the lease, and a late record still resolves the ambiguity.
   */
  private async settle(attempt: DeliveryAttempt, outcome: DeliveryOutcome): Promise<void> {
    const giveUpAt = performance.now() + SETTLE_GIVE_UP_MS;
    for (;;) {
      try {
        return await this.settlement.settle(attempt, outcome);
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        await setTimeout(SETTLE_RETRY_MS);
      }
    }
  }
}

const STALLED: DeliveryOutcome = {
  kind: 'retry',
  reason: 'The worker stalled before the message was complete',
};
