import type { Clock } from '../../platform/clock/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Postponement } from './delivery-policy.js';
import { KEEP_FLAG, POSTPONE } from './delivery-statements.js';
import type { Lease } from './lease.js';
import { recordRecipientResults } from './record-recipient-results.js';

/**
 * sending -> queued, for a retry after the delay.
 * @param attempt the destinations of its links, and the clock that dates its results: once the row is no longer locked
 * @returns false when the lease was lost
 */
export async function moveToQueued(
  sql: Sql,
  { emailId, token }: Lease,
  postponement: Postponement,
  { urls, clock }: { readonly urls: readonly string[]; readonly clock: Clock },
): Promise<boolean> {
  const { reason, delayMs, countsAsAttempt, possibleDuplicate = false, isHeld = false } = postponement;
  const { providerId = null, recipients = [], isSecondDoubt = false } = postponement;
  const uncountedAttempts = countsAsAttempt ? 0 : 1;
  const flags = { isHeld, possibleDuplicate };
  const values = { emailId, token, delayMs, reason, uncountedAttempts, ...flags, providerId, urls };
  const moved = await POSTPONE.run(sql, values);
  if (moved.length === 0) return false;
  // A sweep finds webhook deliveries that no process wakes.
  await recordRecipientResults(sql, emailId, recipients, clock.now());
  if (providerId !== null || isSecondDoubt) await sql.query(KEEP_FLAG, [emailId]);
  return true;
}
