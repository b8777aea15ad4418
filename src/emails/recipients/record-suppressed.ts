import type { Sql } from '../../platform/database/database.js';
import { recordRecipientFacts } from './record-recipient-facts.js';
import { suppressionEvents, type SuppressedRecipient } from './suppressed-recipients.js';

/**
 * Records that an email leaves recipients out, with all consequences. Locks the email.
 * @param at in milliseconds since 1970
 * @returns the webhook deliveries to wake after the commit
 */
export async function recordSuppressed(
  sql: Sql,
  emailId: string,
  suppressed: readonly SuppressedRecipient[],
  at: number,
): Promise<readonly string[]> {
  if (suppressed.length === 0) return [];
  const events = suppressionEvents(emailId, suppressed, at);
  // None of these events is a bounce, so the limit does not matter.
  const { webhookDeliveries } = await recordRecipientFacts(sql, events, { softBounceLimit: 1, handOver: 'refused' });
  return webhookDeliveries;
}
