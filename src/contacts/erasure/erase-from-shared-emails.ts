import { ERASED_ADDRESS } from '../../emails/mailbox.js';
import { EVENT_CLOCK_SKEW_MS } from '../../events/clock-skew.js';
import type { Sql } from '../../platform/database/database.js';
import { eraseFromWebhooks } from './erase-from-webhooks.js';
import type { Person } from './person.js';

const mailboxes = (column: string): string => `${column} = array(
    select case when mailbox_keys(array[mailbox]) = array[$2::text] then '${ERASED_ADDRESS}' else mailbox end
      from unnest(${column}) with ordinality as listed (mailbox, place) order by place)`;

const text = (column: string): string =>
  `${column} = case when ${column} ~* $3 then regexp_replace(${column}, $3, 'erased', 'gi') else ${column} end`;

const json = (column: string): string =>
  `${column} = case when ${column}::text ~* $4
     then regexp_replace(${column}::text, $4, 'erased', 'gi')::jsonb else ${column} end`;

/**
 * The other recipients keep their positions, because reports identify recipients by position. $1 emails, $2 key, $3
 * pattern in texts, $4 pattern in JSON.
 */
const CONTENTS = `
update email_contents set
  ${['to_addresses', 'cc_addresses', 'bcc_addresses'].map(mailboxes).join(', ')},
  reply_to = case when mailbox_keys(array[reply_to]) <> array[$2::text] then reply_to end,
  ${['subject', 'html', 'text'].map(text).join(', ')},
  ${['headers', 'metadata', 'variables'].map(json).join(', ')}
where email_id = any($1::uuid[]) and $2::text is not null`;

const RECIPIENT_STATES = `
delete from recipient_deliveries where email_id = any($1::uuid[]) and lower(address) = $2`;
const REPORTS = `delete from delivery_events where email_id = any($1::uuid[]) and address_key = $2`;

/** $1 emails, $2 pattern. */
const TEXTS = [
  `update emails set last_error = regexp_replace(last_error, $2, 'erased', 'gi'),
     provider_response = regexp_replace(provider_response, $2, 'erased', 'gi')
    where id = any($1::uuid[]) and (last_error ~* $2 or provider_response ~* $2)`,
  ...['email_attempts', 'recipient_deliveries', 'delivery_events'].map(
    (table) => `update ${table} set reason = regexp_replace(reason, $2, 'erased', 'gi')
      where email_id = any($1::uuid[]) and reason ~* $2`,
  ),
  `update email_links set urls = array(
     select regexp_replace(url, $2, 'erased', 'gi') from unnest(urls) with ordinality as l (url, place) order by place)
    where email_id = any($1::uuid[]) and array_to_string(urls, ' ') ~* $2`,
  `update email_attachments set filename = regexp_replace(filename, $2, 'erased', 'gi')
    where email_id = any($1::uuid[]) and filename ~* $2`,
];

/**
 * Only the first row of an event has its URL, and it belongs to the first contact of the email, who may be someone
 * else: a person in copy has no rows at all. Reads the events of each contact once. $1 emails, $2 pattern.
 */
const EVENT_URLS = `
with clicked as materialized (
  select contact_ids[1] as contact_id, created_at from emails where id = any($1::uuid[]) and clicks > 0
)
update events first set url = regexp_replace(first.url, $2, 'erased', 'gi')
  from (select distinct contact_id from clicked) contact
 where first.contact_id = contact.contact_id and first.email_id = any($1::uuid[]) and first.ordinal = 1
   and first.occurred_at >= (select min(created_at) from clicked) - interval '${EVENT_CLOCK_SKEW_MS} ms'
   and first.url ~* $2`;

/** The first row of an event counts for the email, so it is reassigned to the next recipient. $1 emails, $2 contact. */
const HAND_ON_EVENTS = `
with mine as (
  select id, occurred_at from events where contact_id = $2 and email_id = any($1::uuid[]) and ordinal = 1
), heir as (
  delete from events v using mine
   where v.id = mine.id and v.occurred_at = mine.occurred_at and v.ordinal = (
     select min(o.ordinal) from events o where o.id = mine.id and o.occurred_at = mine.occurred_at and o.ordinal > 1)
  returning v.id, v.occurred_at, v.contact_id
)
update events v set contact_id = heir.contact_id
  from heir where v.id = heir.id and v.occurred_at = heir.occurred_at and v.ordinal = 1`;

/** The other rows of the person must not inherit from the next recipient who is erased. $1 emails, $2 contact. */
const DELETE_EVENTS = `delete from events where contact_id = $2 and email_id = any($1::uuid[]) and ordinal > 1`;

const DETACH = `update emails set contact_ids = array_remove(contact_ids, $2::bigint) where id = any($1::uuid[])`;

/** Erases one of several recipients of emails. The caller holds their locks. @param contactId null for copies only */
export async function eraseFromSharedEmails(
  sql: Sql,
  emailIds: readonly string[],
  person: Person,
  contactId: string | null,
): Promise<void> {
  if (emailIds.length === 0) return;
  const { addressKey, pattern, jsonPattern } = person;
  await eraseFromWebhooks(sql, emailIds, person);
  await sql.query(CONTENTS, [emailIds, addressKey, pattern, jsonPattern]);
  for (const statement of [RECIPIENT_STATES, REPORTS]) await sql.query(statement, [emailIds, addressKey]);
  for (const statement of TEXTS) await sql.query(statement, [emailIds, pattern]);
  await sql.query(EVENT_URLS, [emailIds, pattern]);
  if (contactId === null) return;
  await sql.query(HAND_ON_EVENTS, [emailIds, contactId]);
  await sql.query(DELETE_EVENTS, [emailIds, contactId]);
  await sql.query(DETACH, [emailIds, contactId]);
}
