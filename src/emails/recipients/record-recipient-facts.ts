import type { Sql } from '../../platform/database/database.js';
import type { RecipientEvent } from '../../events/recipient-event.js';

export interface RecordedFacts {
  /** Events stored for the first time. */
  readonly stored: readonly RecipientEvent[];
  /** IDs of the new webhook deliveries, to wake after the commit. */
  readonly webhookDeliveries: readonly string[];
}

/**
 * Stores reports about recipients and everything that follows from them: states, counters, suppressions and webhook
 * deliveries. A repeated report changes nothing. Locks the emails, then the contacts; the caller may hold the lock of
 * the emails already.
 * @param handOver `refused` for recipients that are left out before the email reaches a provider
 */
export function recordRecipientFacts(
  sql: Sql,
  events: readonly RecipientEvent[],
  handOver: 'accepted' | 'refused' = 'accepted',
): Promise<RecordedFacts> {
  void sql;
  void handOver;
  return Promise.reject(new Error(`Cannot record ${events.length} reports yet`));
}
