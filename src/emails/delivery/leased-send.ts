import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DeliveryState } from './delivery-state.js';
import type { DeliveryOutcome, HandOver } from '../../providers/provider.js';
import { DeliverySettlement, type DeliveryAttempt } from './delivery-settlement.js';
import { EmailClaim } from './email-claim.js';
import { HeldLeases } from './held-leases.js';
import type { Lease } from './lease.js';

const SETTLE_PAUSE_MS = 1_000;
/** How long the outcome is kept for a Postgres that is away. */
const SETTLE_PATIENCE_MS = 600_000;

/** What happens between the beginning of a delivery and the record of its outcome. */
@Injectable()
export class LeasedSend {
  constructor(
    private readonly state: DeliveryState,
    private readonly leases: HeldLeases,
    private readonly settlement: DeliverySettlement,
  ) {}

  /**
   * @param deliver claims the email by what it is given; when it ends before that, the claim is made to record how.
   * An email that turns out to be somebody else's is left to them.
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
      await this.settle({ ...delivery, lease, attempt }, claim.isStale ? STOOD_STILL : outcome);
    });
  }

  /**
   * What the provider said is known only here: while Postgres is away it is kept and told again and again. Telling
   * it twice is harmless, because the move is bound to the lease; telling it late ends a doubt.
   */
  private async settle(attempt: DeliveryAttempt, outcome: DeliveryOutcome): Promise<void> {
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

const STOOD_STILL: DeliveryOutcome = {
  kind: 'retry',
  reason: 'The worker stood still before the message was complete',
};
