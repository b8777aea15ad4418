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
 * Records the outcome of an attempt. A late record still resolves the ambiguity. If a repeat finds no lease, an earlier
 * commit succeeded but its confirmation was lost: that status has not been reported yet.
 */
export async function recordOutcome(
  settlement: DeliverySettlement,
  attempt: DeliveryAttempt,
  outcome: DeliveryOutcome,
): Promise<void> {
  const knownAt = settlement.now();
  await untilRecorded(async (isRepeat) => {
    const moved = await settlement.settle(attempt, outcome, knownAt);
    if (!moved && isRepeat) await settlement.reportFinal(attempt);
  });
}

/**
 * Records what only this process knows, and therefore retries for as long as Postgres is unavailable.
 * @param record harmless when it is repeated, because the transition requires the lease
 */
export async function untilRecorded(record: (isRepeat: boolean) => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (let isRepeat = false; ; isRepeat = true) {
    try {
      await record(isRepeat);
      return;
    } catch (error) {
      if (!isTransientDatabaseError(error) && performance.now() > giveUpAt) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}
