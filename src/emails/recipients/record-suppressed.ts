import type { Sql } from '../../platform/database/database.js';
import { recordRecipientFacts } from './record-recipient-facts.js';
import { suppressionEvents, type EmailWithout } from './suppressed-recipients.js';

/**
 * Records that emails leave recipients out, with all consequences. Locks the emails. All emails of a transaction belong
 * into one call, which locks their campaigns in the order of all code.
 * @returns the webhook deliveries to wake after the commit
 */
export async function recordSuppressed(sql: Sql, emails: readonly EmailWithout[]): Promise<readonly string[]> {
  const events = emails.flatMap(suppressionEvents);
  if (events.length === 0) return [];
  // None of these events is a bounce, so the limit does not matter.
  const { webhookDeliveries } = await recordRecipientFacts(sql, events, { softBounceLimit: 1, handOver: 'refused' });
  return webhookDeliveries;
}
