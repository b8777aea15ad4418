import { isOwnProvider } from '../../../organizations/providers/own-provider-id.sql.js';
import type { Sql } from '../../../platform/database/database.js';
import { LONGEST_PAUSE_MS } from '../../../providers/http/provider-response.js';
import { recallEmails } from '../../dispatch/recall-emails.sql.js';

/** A second copy is not brought forward: the outcome of the first may still arrive. */
const BRING_FORWARD = `
update pending_emails set due_at = date_trunc('milliseconds', now())
 where email_id = any(array(
   select p.email_id from pending_emails p
    where p.organization_id = $1 and p.dispatched_at is null and p.lease_token is null
      and p.due_at > now() and p.due_at <= now() + interval '${LONGEST_PAUSE_MS} ms'
      and ${isOwnProvider('p.provider')} and not p.possible_duplicate
    order by p.email_id for update of p skip locked))`;

/** The jobs of others wait for the end of the pause. */
const RECALL = recallEmails('p.organization_id = $1');

/**
 * Ends the wait of mail whose organization's own providers were paused: one of them was added, changed or deleted, so that
 * a provider may take it now. `HeldMail` releases the emails that are held.
 * @param sql the transaction of the change
 */
export async function endWaitingForProviders(sql: Sql, organizationId: string): Promise<void> {
  await sql.query(BRING_FORWARD, [organizationId]);
  await sql.query(RECALL, [organizationId]);
}
