import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import type { Database } from '../../platform/database/database.js';
import { uncountEmails } from '../delivery/uncount-emails.js';
import { canceledEmails, MAY_HAVE_REACHED } from './canceled-emails.sql.js';

/** Before the pending row: the order in which all statements lock rows. */
const LOCK_BROADCAST = `
select from broadcasts where id = (select broadcast_id from emails where id = $1) for no key update`;

/**
 * Locks the pending row as a claim does, and rechecks it after the wait: exactly one of them gets an email.
 */
const CANCEL = `
with free as (
  select p.email_id from pending_emails p
   where p.email_id = $1 and p.lease_token is null and not ${MAY_HAVE_REACHED}
   for update
), ${canceledEmails('e.id, e.campaign_id, e.contact_ids, e.broadcast_id, e.organization_id, e.send_at')}, counted as (
  update broadcasts b set canceled = b.canceled + 1 from email where b.id = email.broadcast_id
)
select email.campaign_id, email.contact_ids, email.organization_id, email.send_at as "sendAt",
       coalesce(cardinality(c.to_addresses || c.cc_addresses || c.bcc_addresses), 1) as recipients
  from email left join email_contents c on c.email_id = email.id`;

/** An email that was canceled. */
interface CanceledSend {
  readonly recipients: number;
  /** When it was to be sent; null for at once. */
  readonly sendAt: Date | null;
}

interface Canceled extends CanceledSend {
  campaign_id: string | null;
  contact_ids: string[];
  organization_id: string;
}

/**
 * Cancels an email that no worker has claimed. It no longer counts for its campaign and contacts.
 * @param author recorded in the audit log, if given
 * @returns undefined when a worker has claimed it, it may have reached somebody, or it is final
 */
export function cancelEmail(
  database: Database,
  emailId: string,
  author?: Author<string | null>,
): Promise<CanceledSend | undefined> {
  return database.transaction(async (sql) => {
    await sql.query(LOCK_BROADCAST, [emailId]);
    const [email] = await sql.query<Canceled & { [column: string]: unknown }>(CANCEL, [emailId]);
    if (!email) return undefined;
    await uncountEmails(sql, [emailId], email.campaign_id, email.contact_ids);
    if (author) {
      const target = { kind: 'email', id: emailId } as const;
      await AuditLog.record(sql, {
        ...author,
        organizationId: email.organization_id,
        action: 'email.canceled',
        target,
      });
    }
    return email;
  });
}
