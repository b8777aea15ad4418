import type { Sql } from '../../platform/database/database.js';
import { recordSenderRefusals } from '../../domains/sender-refusals.js';
import { bareAddress, domainOf } from '../mailbox.js';
import type { Report } from './reported-emails.js';

/** The sender's mailbox or its domain does not exist for the receiver (RFC 3463, 3.2, and RFC 7505). */
const ABOUT_THE_SENDER = new Set(['5.1.7', '5.1.8']);

const SENDERS = `select email_id as "emailId", sender from email_contents where email_id = any($1::uuid[])`;

/** Records at the sender's domain that receivers refused the sender itself. */
export async function recordSenderBounces(sql: Sql, reports: readonly Report[]): Promise<void> {
  const refused = new Map<string, Report>();
  for (const report of reports) {
    const { fact, smtpStatus } = report.event;
    if (fact === 'bounced' && ABOUT_THE_SENDER.has(smtpStatus ?? '')) refused.set(report.email.id, report);
  }
  if (refused.size === 0) return;
  const senders = await sql.query<{ emailId: string; sender: string }>(SENDERS, [[...refused.keys()]]);
  await recordSenderRefusals(
    sql,
    senders.map(({ emailId, sender }) => {
      const { email, event } = refused.get(emailId)!;
      return {
        organizationId: email.organizationId,
        domain: domainOf(bareAddress(sender)),
        reason: event.reason ?? event.smtpStatus!,
      };
    }),
  );
}
