/** How long a content without an email is kept: much longer than a request that is about to use it takes. */
const UNUSED_FOR = '1 hour';

/** Whether no email has the content `c`, and no broadcast that can still create emails. */
export const IS_UNUSED = `
c.used_at < now() - interval '${UNUSED_FOR}'
and not exists (select from email_attachments a where a.organization_id = c.organization_id and a.sha256 = c.sha256)
and not exists (
  select from messages m join broadcasts b on b.message_id = m.id
   where m.organization_id = c.organization_id and m.attachments is not null
     and m.attachments @> jsonb_build_array(jsonb_build_object('sha256', encode(c.sha256, 'hex')))
     and b.status not in ('sent', 'canceled'))`;
