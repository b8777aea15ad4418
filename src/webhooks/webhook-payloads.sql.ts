import { VERDICTS, type Verdict } from '../events/verdict.js';
import { textArray } from '../platform/database/array-literal.js';
import { timeOfId } from '../platform/database/id-time.sql.js';
import { isoTime } from '../platform/database/iso-time.sql.js';
import { LISTENS_TO_ENGAGEMENT } from './listens-to.sql.js';
import {
  BUDGET_EVENT,
  GUARD_EVENT,
  TEST_EVENT,
  type RecipientWebhookType,
  type WebhookEventType,
} from './webhook-events.js';

/*
 * Postgres builds the bodies. They are stored with the delivery, because the email may change later. Opens and clicks
 * have no limit on their number, so they store only a reference to their event; their body is built when they are
 * claimed. Aliases: `e` email, `c` its content, `k` its campaign, `n` the event.
 */

/** Without the names, as in responses. */
const RECIPIENTS = `array(select regexp_replace(r.mailbox, '^.*<(.*)>$', '\\1')
          from unnest(c.to_addresses) with ordinality as r (mailbox, place) order by r.place)`;

/** A tracked email may have no sender. */
const EMAIL_FIELDS = `e.id, e.tracking_id as "emailTrackingId", nullif(c.sender, '') as "from", ${RECIPIENTS} as "to", c.subject,
        k.name as campaign, c.metadata`;

/** A field of the verdict with the code `n.verdict`. A code that this build does not know has no sign of a machine. */
function verdictField(field: keyof Verdict): string {
  const values = `('${textArray(VERDICTS.map((verdict) => verdict[field]))}'::text[])`;
  return `coalesce(${values}[n.verdict + 1], ${values}[1]) as ${field}`;
}

const VERDICT_FIELDS = (['class', 'reason', 'certainty'] as const).map(verdictField).join(', ');

/** Fields of an event in addition to those of its email. */
const ownFields: Record<
  Exclude<WebhookEventType, RecipientWebhookType | typeof GUARD_EVENT | typeof BUDGET_EVENT>,
  string
> = {
  EMAIL_SENT: `${isoTime('e.sent_at')} as "sentAt"`,
  EMAIL_FAILED: `${isoTime('e.failed_at')} as "failedAt", e.last_error as reason`,
  EMAIL_OPENED: `${isoTime('n.occurred_at')} as "occurredAt", ${VERDICT_FIELDS}`,
  EMAIL_CLICKED: `${isoTime('n.occurred_at')} as "occurredAt", n.url, ${VERDICT_FIELDS}`,
};

/** Fields of all events about a recipient. */
const RECIPIENT_FIELDS = `n.recipient, n.reason, n.smtp_status as "smtpStatus", n.bounce,
        ${isoTime('n.occurred_at')} as "occurredAt"`;

/** `{ type, timestamp, data }` as text. Type and time are expressions, `fields` the columns of `data`. */
function body(type: string, time: string, fields: string): string {
  return `(select row_to_json(whole)::text from (
      select ${type} as type, ${isoTime(time)} as "timestamp",
        (select row_to_json(data) from (select ${fields}) data) as data
    ) whole)`;
}

function bodyOf(type: keyof typeof ownFields, time: string): string {
  return body(`'${type}'`, time, `${EMAIL_FIELDS}, ${ownFields[type]}`);
}

/** The body of an event about a recipient: `n` has its type, time, recipient and details. */
export const RECIPIENT_BODY = body('n.type', 'n.occurred_at', `${EMAIL_FIELDS}, ${RECIPIENT_FIELDS}`);

/** A UUIDv7 of the current time (RFC 9562, 5.7), so that deliveries sort by age. */
export const NEW_DELIVERY_ID = `overlay(overlay(replace(gen_random_uuid()::text, '-', '')
      placing lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') from 1 for 12) placing '7' from 13 for 1)::uuid`;

/**
 * Inserts a delivery per email and subscribed endpoint, and returns the IDs of the deliveries.
 * @param emails a relation with the columns of `emails` in their new state: in a statement that updates emails, the
 *   rows that it returns
 */
export function insertEmailDeliveries(type: 'EMAIL_SENT' | 'EMAIL_FAILED', emails: string): string {
  const time = type === 'EMAIL_SENT' ? 'e.sent_at' : 'e.failed_at';
  return `insert into webhook_deliveries (id, endpoint_id, type, email_id, body)
    select ${NEW_DELIVERY_ID}, w.id, '${type}', e.id, ${bodyOf(type, time)}
      from ${emails} e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.enabled and '${type}' = any(w.events)
      join email_contents c on c.email_id = e.id
      left join campaigns k on k.id = e.campaign_id
    returning id`;
}

/** True for a row of `emails` whose opens or clicks have a subscribed endpoint. Evaluated once for all rows. */
export const HAS_WEBHOOK_LISTENER = `organization_id in (
    select organization_id from webhook_endpoints where ${LISTENS_TO_ENGAGEMENT})`;

/**
 * Builds the body of a delivery that only references its event. The data it reads does not change, so every attempt
 * sends the same body, unless a recipient is erased. The URL comes from the event, or from the email's links once the
 * event is deleted.
 * @param d a row of `webhook_deliveries`
 */
export function engagementBody(d: string): string {
  const url = `coalesce(
      (select v.url from events v where v.id = ${d}.event_id and v.ordinal = 1 and v.occurred_at = ${timeOfId(`${d}.event_id`)}),
      (select l.urls[${d}.link_position + 1] from email_links l where l.email_id = ${d}.email_id))`;
  return `(select case ${d}.type when 'EMAIL_OPENED' then ${bodyOf('EMAIL_OPENED', 'n.occurred_at')}
                    else ${bodyOf('EMAIL_CLICKED', 'n.occurred_at')} end
      from (select ${timeOfId(`${d}.event_id`)} as occurred_at, ${url} as url, ${d}.verdict) n
      left join emails e on e.id = ${d}.email_id
      left join email_contents c on c.email_id = e.id
      left join campaigns k on k.id = e.campaign_id)`;
}

const EVENT_TYPE = `case n.type when 'opened' then 'EMAIL_OPENED' else 'EMAIL_CLICKED' end`;

/**
 * Inserts a delivery per open or click and subscribed endpoint. Without any subscribed endpoint, only the existence
 * check runs. An endpoint for people gets none for a machine, and waits while a verdict may still change.
 * @param events a relation of events: event_id, email_id, type, link_position, verdict, is_machine, may_change
 * @param full an array of endpoints to skip
 * @param waitMs how long a verdict may change, in milliseconds
 */
export function insertEngagementDeliveries(events: string, full: string, waitMs: string): string {
  const wait = `case when w.people and n.may_change then ${waitMs} * interval '1 ms' else interval '0' end`;
  return `insert into webhook_deliveries (id, endpoint_id, type, email_id, event_id, link_position, verdict, next_attempt_at)
    select ${NEW_DELIVERY_ID}, w.id, ${EVENT_TYPE}, n.email_id, n.event_id, n.link_position, n.verdict,
           date_trunc('milliseconds', now()) + ${wait}
      from ${events} n
      join emails e on e.id = n.email_id
      join webhook_endpoints w on w.organization_id = e.organization_id and w.enabled and ${EVENT_TYPE} = any(w.events)
       and not (w.people and n.is_machine)
     where w.id <> all(${full}) and exists (
       select from webhook_endpoints where ${LISTENS_TO_ENGAGEMENT})
    returning id, next_attempt_at <= now() as "isDue"`;
}

/**
 * Deletes deliveries to endpoints for people whose events turned out to be by machines, unless an attempt has begun.
 * $1 IDs of emails, $2 IDs of events.
 */
export const DELETE_MACHINE_DELIVERIES = `delete from webhook_deliveries d using webhook_endpoints w
   where d.email_id = any($1::uuid[]) and d.event_id = any($2::uuid[]) and w.id = d.endpoint_id and w.people
     and d.status = 'pending' and d.attempts = 0 and d.lease_token is null`;

/** Builds the body of a test. @param webhookId the webhook's ID, as an expression */
export function testBody(webhookId: string): string {
  return body(`'${TEST_EVENT}'`, 'now()', `${webhookId}::uuid as "webhookId"`);
}

/**
 * Inserts a delivery per change of the guard's state and subscribed endpoint, and returns the IDs of the deliveries.
 * @param changes a relation of changes: organization_id, state, before, reason, domain, rates (json), changed_at
 */
export function insertGuardDeliveries(changes: string): string {
  const fields = `n.state, n.before, n.reason, n.domain, n.rates, ${isoTime('n.changed_at')} as since`;
  return `insert into webhook_deliveries (id, endpoint_id, type, body)
    select ${NEW_DELIVERY_ID}, w.id, '${GUARD_EVENT}', ${body(`'${GUARD_EVENT}'`, 'n.changed_at', fields)}
      from ${changes} n
      join webhook_endpoints w on w.organization_id = n.organization_id and w.enabled
       and '${GUARD_EVENT}' = any(w.events)
    returning id`;
}

/**
 * Inserts a delivery per warning and subscribed endpoint, and returns the IDs of the deliveries.
 * @param warnings a relation of warnings: organization_id, budget, used, limit, renews_at (or null), warned_at
 */
export function insertBudgetDeliveries(warnings: string): string {
  const fields = `n.budget, n.used, n."limit", ${isoTime('n.renews_at')} as "renewsAt"`;
  return `insert into webhook_deliveries (id, endpoint_id, type, body)
    select ${NEW_DELIVERY_ID}, w.id, '${BUDGET_EVENT}', ${body(`'${BUDGET_EVENT}'`, 'n.warned_at', fields)}
      from ${warnings} n
      join webhook_endpoints w on w.organization_id = n.organization_id and w.enabled
       and '${BUDGET_EVENT}' = any(w.events)
    returning id`;
}
