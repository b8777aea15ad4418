import { ERASED_ADDRESS } from '../../emails/mailbox.js';
import { allSuppressedReason, WERE_ALL_SUPPRESSED } from '../../emails/delivery/all-suppressed.js';
import { IS_UNUSED } from '../../emails/attachments/unused-contents.sql.js';
import type { Sql } from '../../platform/database/database.js';
import { FORGET_EMAILS } from '../../events/store/forget-emails.js';
import { ERASED_WITH_UNKNOWN_OUTCOME } from './end-pending-emails.js';

/** The email keeps its status and its counts, because totals and lists are derived from them. $1 emails. */
const statements = [
  `update email_contents set reply_to = null, to_addresses = array['${ERASED_ADDRESS}'], cc_addresses = '{}',
     bcc_addresses = '{}', subject = '', html = '', text = null, headers = null, metadata = null, variables = null
    where email_id = any($1::uuid[])`,
  // Without contacts, events of the email that arrive later change nothing. By its error, an email whose recipient was
  // suppressed counts as suppressed in its broadcast.
  `update emails e set contact_ids = '{}', provider_id = null, provider_response = null,
     last_error = case when ${WERE_ALL_SUPPRESSED} then '${allSuppressedReason([])}'
       when last_error = '${ERASED_WITH_UNKNOWN_OUTCOME}' then last_error when last_error is not null then 'erased' end
    where id = any($1::uuid[])`,
  FORGET_EMAILS,
  ...['email_links', 'email_attempts', 'recipient_deliveries', 'delivery_events', 'webhook_deliveries'].map(
    (table) => `delete from ${table} where email_id = any($1::uuid[])`,
  ),
];

const DELETE_ATTACHMENTS = `
with gone as (
  delete from email_attachments where email_id = any($1::uuid[]) returning organization_id, sha256
)
select distinct organization_id as "organizationId", encode(sha256, 'hex') as sha256 from gone`;
/** Those of the last hour stay until the job that deletes unused contents runs. */
const DELETE_CONTENTS = `
delete from attachment_contents where (organization_id, sha256) in (
  select c.organization_id, c.sha256 from attachment_contents c
   where c.organization_id = $1 and c.sha256 in (select decode(hex, 'hex') from unnest($2::text[]) as hex)
     and ${IS_UNUSED}
   order by c.sha256 for update of c skip locked)`;

/** Erases emails to one person with everything that is stored about them. The caller holds their locks. */
export async function eraseWholeEmails(sql: Sql, emailIds: readonly string[]): Promise<void> {
  if (emailIds.length === 0) return;
  for (const statement of statements) await sql.query(statement, [emailIds]);
  const contents = await sql.query<{ organizationId: string; sha256: string }>(DELETE_ATTACHMENTS, [emailIds]);
  if (contents.length === 0) return;
  await sql.query(DELETE_CONTENTS, [contents[0]!.organizationId, contents.map(({ sha256 }) => sha256)]);
}
