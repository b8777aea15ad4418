import { TEST_EVENT, type WebhookEventType } from '../events/event.js';

/*
 * Bodies are made by Postgres, in the statement that stores them: what they tell is there already, and nothing at
 * all is read when nobody listens. Relations by their letters: `e` the email, `c` its content, `k` its campaign,
 * `n` the news.
 */

/** ISO 8601 in UTC with milliseconds, as every time of ours is. */
const iso = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const EMAIL_FIELDS = `e.id, e.tracking_id as "emailTrackingId", c.sender as "from", c.to_addresses as "to", c.subject,
        k.name as campaign, c.metadata`;

/** What an event tells beyond its email. */
const ownFields: Record<WebhookEventType, string> = {
  EMAIL_SENT: `${iso('e.sent_at')} as "sentAt"`,
  EMAIL_FAILED: `${iso('e.failed_at')} as "failedAt", e.last_error as reason`,
  EMAIL_OPENED: `${iso('n.occurred_at')} as "occurredAt"`,
  EMAIL_CLICKED: `${iso('n.occurred_at')} as "occurredAt", n.url`,
};

/** `{ type, timestamp, data }` as text. @param time when it happened, as an expression */
function bodyOf(type: WebhookEventType, time: string): string {
  return `(select row_to_json(body)::text from (
      select '${type}' as type, ${iso(time)} as "timestamp",
        (select row_to_json(data) from (select ${EMAIL_FIELDS}, ${ownFields[type]}) data) as data
    ) body)`;
}

/** A UUIDv7 at the present (RFC 9562, 5.7), so that deliveries sort by age. */
export const NEW_DELIVERY_ID = `overlay(overlay(replace(gen_random_uuid()::text, '-', '')
      placing lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') from 1 for 12) placing '7' from 13 for 1)::uuid`;

/**
 * Stores what every listening endpoint is to be told of emails, and answers with the ids of the deliveries.
 * @param emails a relation with the columns of `emails`, as they are to be told: in a statement that changes them,
 *   what it returns
 */
export function insertEmailDeliveries(type: 'EMAIL_SENT' | 'EMAIL_FAILED', emails: string): string {
  const time = type === 'EMAIL_SENT' ? 'e.sent_at' : 'e.failed_at';
  return `insert into webhook_deliveries (id, endpoint_id, type, body)
    select ${NEW_DELIVERY_ID}, w.id, '${type}', ${bodyOf(type, time)}
      from ${emails} e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.enabled and '${type}' = any(w.events)
      join email_contents c on c.email_id = e.id
      left join campaigns k on k.id = e.campaign_id
    returning id`;
}

/** Of a row of `emails`: whether any endpoint listens to its opens or clicks. Looked up once for all rows. */
export const LISTENED_TO = `organization_id in (
    select organization_id from webhook_endpoints where enabled and events && '{EMAIL_OPENED,EMAIL_CLICKED}'::text[])`;

/**
 * Stores what every listening endpoint is to be told of opens and clicks. While nobody listens anywhere, the check
 * for it is all that happens.
 * @param events a relation with the columns of `events`, of which the rows with ordinal 1 are told
 */
export function insertEngagementDeliveries(events: string): string {
  const type = `case n.type when 'opened' then 'EMAIL_OPENED' else 'EMAIL_CLICKED' end`;
  return `insert into webhook_deliveries (id, endpoint_id, type, body)
    select ${NEW_DELIVERY_ID}, w.id, ${type},
        case n.type when 'opened' then ${bodyOf('EMAIL_OPENED', 'n.occurred_at')}
                    else ${bodyOf('EMAIL_CLICKED', 'n.occurred_at')} end
      from ${events} n
      join emails e on e.id = n.email_id
      join webhook_endpoints w on w.organization_id = e.organization_id and w.enabled and ${type} = any(w.events)
      join email_contents c on c.email_id = e.id
      left join campaigns k on k.id = e.campaign_id
     where n.ordinal = 1 and n.type in ('opened', 'clicked') and exists (
       select from webhook_endpoints where enabled and events && '{EMAIL_OPENED,EMAIL_CLICKED}'::text[])
    returning id`;
}

/** The body of a test. @param webhookId the webhook's id, as an expression */
export function testBody(webhookId: string): string {
  return `(select row_to_json(body)::text from (
      select '${TEST_EVENT}' as type, ${iso('now()')} as "timestamp",
        (select row_to_json(data) from (select ${webhookId}::uuid as "webhookId") data) as data
    ) body)`;
}
