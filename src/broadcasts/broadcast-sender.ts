import { bareAddress, domainOf } from '../emails/mailbox.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { requireSenderDomain } from '../organizations/key-limits.js';
import type { Sql } from '../platform/database/database.js';

/**
 * Checks the key before a request that makes a broadcast reach more people. Passes for a missing broadcast: the caller
 * responds with 404.
 * @param id a UUID
 * @throws ForbiddenSenderError when the key may not send from the domain of the broadcast
 */
export async function requireBroadcastSender(
  sql: Sql,
  { organizationId, allowedDomains }: Pick<Caller, 'organizationId' | 'allowedDomains'>,
  id: string,
): Promise<void> {
  if (allowedDomains === null) return;
  const [found] = await sql.query<{ sender: string }>(
    'select sender from broadcasts where organization_id = $1 and id = $2',
    [organizationId, id],
  );
  if (found) requireSenderDomain({ allowedDomains }, domainOf(bareAddress(found.sender)));
}
