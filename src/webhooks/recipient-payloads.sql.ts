import { LISTENS_TO_RECIPIENTS } from './listens-to.sql.js';
import { NEW_DELIVERY_ID, RECIPIENT_BODY } from './webhook-payloads.sql.js';

/** True when a webhook of the organization subscribes to events about recipients. Evaluated once for all rows. */
export function hasRecipientListener(organizationId: string): string {
  return `${organizationId} in (select organization_id from webhook_endpoints where ${LISTENS_TO_RECIPIENTS})`;
}

/**
 * Inserts a delivery per event about a recipient and subscribed endpoint. The body is stored, because the report may be
 * deleted before the last attempt. $1 emails, $2 types, $3 recipients, $4 reasons, $5 status codes, $6 bounces,
 * $7 times in milliseconds, $8 whether an earlier event can be the same, $9 endpoints that get none of these.
 */
export const INSERT_RECIPIENT_DELIVERIES = `
insert into webhook_deliveries (id, endpoint_id, type, email_id, body)
select ${NEW_DELIVERY_ID}, w.id, n.type, e.id, ${RECIPIENT_BODY}
  from (select r.*, to_timestamp(r.milliseconds / 1000.0) as occurred_at
          from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
            $8::boolean[]) as r (email_id, type, recipient, reason, smtp_status, bounce, milliseconds, may_repeat)) n
  join emails e on e.id = n.email_id
  join webhook_endpoints w on w.organization_id = e.organization_id and w.enabled and n.type = any(w.events)
   and not (n.may_repeat and w.id = any($9::uuid[]))
  join email_contents c on c.email_id = e.id
  left join campaigns k on k.id = e.campaign_id
returning id`;
