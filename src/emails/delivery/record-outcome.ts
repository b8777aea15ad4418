import { setTimeout } from 'node:timers/promises';
import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import type { DeliveryAttempt, DeliverySettlement } from './delivery-settlement.js';

const RETRY_MS = 1_000;
/** How long to retry other failures while Postgres is available. */
const GIVE_UP_MS = 600_000;

/** The outcome of an attempt whose process stalled after its claim. */
export const STALLED: DeliveryOutcome = {
  kind: 'retry',
  reason: 'The worker stalled before the message was complete',
};

/**
 * Records the outcome of an attempt. Only this process knows it, so it retries for as long as Postgres is unavailable.
 * Repeats are harmless because the transition requires the lease, and a late record still resolves the ambiguity. If a
 * repeat finds no lease, an earlier commit succeeded but its confirmation was lost: that status has not been reported
 * yet.
 */
export async function recordOutcome(
  settlement: DeliverySettlement,
  attempt: DeliveryAttempt,
  outcome: DeliveryOutcome,
): Promise<void> {
  const knownAt = settlement.now();
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (let isRepeat = false; ; isRepeat = true) {
    try {
      const moved = await settlement.settle(attempt, outcome, knownAt);
      if (!moved && isRepeat) await settlement.reportFinal(attempt);
      return;
    } catch (error) {
      if (!isTransientDatabaseError(error) && performance.now() > giveUpAt) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}
