import { Statement } from '../platform/database/statement.js';

/** The columns of a broadcast that a request gives. */
const BROADCAST_COLUMNS = {
  campaignId: 'uuid?',
  name: 'text',
  sender: 'text',
  replyTo: 'text?',
  pace: 'integer?',
  sendAt: 'timestamptz?',
  tags: 'text[]?',
} as const;

/** The columns of its message. Attachments are null if the request has none: an empty list removes those of a draft. */
const MESSAGE_COLUMNS = {
  subject: 'text',
  html: 'text?',
  text: 'text?',
  mjml: 'text?',
  headers: 'jsonb?',
  attachments: 'jsonb?',
} as const;

/** With the attachments of the replaced message, unless the request has some. */
export const INSERT_MESSAGE = new Statement(
  'insert-draft-message',
  { id: 'uuid', organizationId: 'uuid', createdAt: 'timestamptz', replacedId: 'uuid?', ...MESSAGE_COLUMNS },
  `
insert into messages (id, organization_id, created_at, subject, html, text, mjml, headers, attachments)
values (:id, :organizationId, :createdAt, :subject, :html, :text, :mjml, :headers,
        nullif(coalesce(:attachments, (select attachments from messages where id = :replacedId)), '[]'))`,
);

export const INSERT_DRAFT = new Statement(
  'insert-draft',
  { id: 'uuid', organizationId: 'uuid', messageId: 'uuid', createdAt: 'timestamptz', ...BROADCAST_COLUMNS },
  `
insert into broadcasts (id, organization_id, message_id, created_at, campaign_id, name, sender, reply_to, pace, send_at,
                        tags)
values (:id, :organizationId, :messageId, :createdAt, :campaignId, :name, :sender, :replyTo, :pace, :sendAt, :tags)`,
);

export const REPLACE_DRAFT = new Statement(
  'replace-draft',
  { id: 'uuid', messageId: 'uuid', ...BROADCAST_COLUMNS },
  `
update broadcasts
   set message_id = :messageId, campaign_id = :campaignId, name = :name, sender = :sender, reply_to = :replyTo,
       pace = :pace, send_at = :sendAt, tags = :tags
 where id = :id`,
);

/**
 * A row if the draft has exactly this content. A time that has passed counts as none, as in a request, and so do
 * attachments that the request does not have.
 */
export const HAS_CONTENT = new Statement(
  'draft-has-content',
  { id: 'uuid', ...BROADCAST_COLUMNS, ...MESSAGE_COLUMNS },
  `
select from broadcasts b join messages m on m.id = b.message_id
 where b.id = :id
   and (b.campaign_id, b.name, b.sender, b.reply_to, b.pace, case when b.send_at > now() then b.send_at end, b.tags,
        m.subject, m.html, m.text, m.mjml, m.headers, m.attachments)
       is not distinct from
       (:campaignId, :name, :sender, :replyTo, :pace, :sendAt, :tags,
        :subject, :html, :text, :mjml, :headers, nullif(coalesce(:attachments, m.attachments), '[]'))`,
);
