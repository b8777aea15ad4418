import type { Sql } from '../../platform/database/database.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';
import type { WebhookOutbox } from '../../webhooks/webhook-outbox.js';
import { MARK_FAILED } from './delivery-statements.js';
import type { Lease } from './lease.js';
import { recordRecipientResults } from './record-recipient-results.js';
import { uncountEmails } from './uncount-emails.js';

interface FailedEmail {
  organization_id: string;
  campaign_id: string | null;
  contact_ids: string[];
}

/**
 * sending -> failed, inside a transaction of the caller. The email no longer counts for its campaign and contacts.
 * @param results with the time of the attempt
 * @returns the webhook deliveries to wake; undefined when the lease was lost
 */
export async function moveToFailed(
  sql: Sql,
  webhooks: WebhookOutbox,
  { emailId, token }: Lease,
  reason: string,
  results: { readonly recipients: readonly RecipientResult[]; readonly at: number },
): Promise<string[] | undefined> {
  const [email] = await MARK_FAILED.run<FailedEmail>(sql, { emailId, token, reason });
  if (!email) return undefined;
  await uncountEmails(sql, [emailId], email.campaign_id, email.contact_ids);
  const deliveries = await recordRecipientResults(sql, emailId, results.recipients, results.at);
  return [...(await webhooks.emailFailed(sql, email.organization_id, emailId)), ...deliveries];
}
