import type { Sql } from '../platform/database/database.js';
import { withParents } from './parent-domains.js';

/** A refused sender usually affects many emails, so the row is updated at most once per interval. */
export const REFUSAL_INTERVAL = "interval '1 minute'";

export interface SenderRefusal {
  readonly organizationId: string;
  /** Domain of the sender, in lower case. */
  readonly domain: string;
  readonly reason: string;
}

/** $1 organization, $2 the sender's domain and its parents, $3 reason. */
const NOTE = `
update sending_domains set sender_refused_at = now(), sender_refusal = $3
 where id = (select id from sending_domains
              where organization_id = $1 and domain = any($2::text[]) and status = 'verified'
              order by length(domain) desc limit 1)
   and (sender_refused_at is null or sender_refused_at < now() - ${REFUSAL_INTERVAL})`;

/** Stores why mail from senders of verified domains was refused. Shown until the domain is verified again. */
export async function recordSenderRefusals(sql: Sql, refusals: readonly SenderRefusal[]): Promise<void> {
  const byDomain = new Map(refusals.map((refusal) => [`${refusal.organizationId} ${refusal.domain}`, refusal]));
  // One order for all transactions, because each locks a row.
  for (const key of [...byDomain.keys()].sort()) {
    const { organizationId, domain, reason } = byDomain.get(key)!;
    await sql.query(NOTE, [organizationId, withParents(domain), reason]);
  }
}
