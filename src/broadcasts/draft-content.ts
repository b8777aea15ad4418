import type { Sql } from '../platform/database/database.js';
import { withoutBytes } from '../emails/attachments/attachment.js';
import type { DraftMessage } from './broadcast-messages.js';

/** The content of a draft as a request describes it, in the types of its columns. */
export interface DraftContent {
  readonly message: DraftMessage;
  /** The name or ID of its campaign, which may not exist yet. */
  readonly campaign: string | undefined;
  /** name, sender, reply_to, pace, send_at and tags. */
  readonly values: readonly unknown[];
}

/**
 * $1 broadcast, $2 campaign, $3 to $8 values of the content, $9 to $14 values of its message. A time that has passed
 * counts as none, as in a request, and so do attachments that the request does not have.
 */
const HAS_CONTENT = `
select from broadcasts b join messages m on m.id = b.message_id
 where b.id = $1
   and (b.campaign_id, b.name, b.sender, b.reply_to, b.pace, case when b.send_at > now() then b.send_at end, b.tags,
        m.subject, m.html, m.text, m.mjml, m.headers, m.attachments)
       is not distinct from
       ($2::uuid, $3::text, $4::text, $5::text, $6::integer, $7::timestamptz, $8::text[],
        $9::text, $10::text, $11::text, $12::text, $13::jsonb, nullif(coalesce($14::jsonb, m.attachments), '[]'))`;

/** subject, html, text, mjml, headers and attachments; the latter are null if the request has none. */
export function messageValues({ source, mjml, headers, attachments }: DraftMessage): readonly unknown[] {
  const { subject, html, text } = source;
  return [
    subject,
    html,
    text,
    mjml,
    headers && JSON.stringify(headers),
    attachments && JSON.stringify(attachments.map(withoutBytes)),
  ];
}

/** True if the draft has exactly this content already. */
export async function hasContent(
  sql: Sql,
  { id, campaignId }: { readonly id: string; readonly campaignId: string | null },
  { message, values }: DraftContent,
): Promise<boolean> {
  return (await sql.query(HAS_CONTENT, [id, campaignId, ...values, ...messageValues(message)])).length > 0;
}
