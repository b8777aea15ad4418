import { insertEmailDeliveries } from '../../webhooks/webhook-payloads.sql.js';

import type { Lease } from './lease.js';
import type { RecipientResult } from '../../providers/provider.js';

export interface SentEmail {
  readonly providerId: string;
  readonly urls: readonly string[];
  readonly sentAt: Date;
  readonly recipients: readonly RecipientResult[];
}

/*
 * Every statement locks first the pending rows and then the emails, both in email order. Batches of several workers
 * and event flushes therefore cannot deadlock.
 */

/** True for the lease holder, and for a former holder while no other worker has claimed the email since. */
const HELD = '(p.lease_token = b.token or (p.lease_token is null and p.doubt_token = b.token))';

/** $1 emails, $2 tokens, $3 milliseconds. Lists are hidden from the planner for the reason given at `ID_AMONG`. */
export const CLAIM = `
with claimable as (
  select p.email_id, b.token
    from unnest((select $1::uuid[]), (select $2::uuid[])) as b (id, token) join pending_emails p on p.email_id = b.id
   where p.lease_token is null and p.due_at <= now()
   order by p.email_id for update of p
)
update pending_emails p
   set lease_token = c.token, lease_until = now() + $3 * interval '1 ms', attempts = p.attempts + 1
  from claimable c where p.email_id = c.email_id
returning p.lease_token as token, p.attempts`;

/**
 * One statement deletes the pending rows, marks the emails sent, stores their links and adds webhook deliveries.
 * $1 emails, $2 tokens, $3 provider ids, $4 times, $5 links as a JSON list of lists.
 * JSON, because a Postgres array of arrays needs lists of equal length and costs the driver an escape per link.
 */
export const MARK_SENT = `
with held as (
  select p.email_id, b.token, b.provider_id, b.sent_at, b.place
    from pending_emails p
    join unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) with ordinality
      as b (id, token, provider_id, sent_at, place) on p.email_id = b.id
   where ${HELD}
   order by p.email_id for update of p
), gone as (
  delete from pending_emails p using held h where p.email_id = h.email_id
  returning p.email_id, h.token, h.provider_id, h.sent_at, h.place, p.attempts, p.possible_duplicate
), locked as (
  select e.id from emails e join gone on gone.email_id = e.id order by e.id for no key update of e
), email as (
  update emails e
     set status = 'sent', sent_at = g.sent_at, provider_id = g.provider_id, last_error = null,
         attempts = g.attempts, possible_duplicate = g.possible_duplicate
    from gone g join locked on locked.id = g.email_id
   where e.id = g.email_id
  returning e.*
), link as (
  select email.id as email_id, email.campaign_id, l.url, l.place
    from json_array_elements($5::json) with ordinality as list (urls, place)
    join gone on gone.place = list.place
    join email on email.id = gone.email_id
   cross join json_array_elements_text(list.urls) with ordinality as l (url, place)
), links as (
  insert into email_links (email_id, urls) select email_id, array_agg(url order by place) from link group by email_id
  on conflict (email_id) do nothing
), campaign_link as (
  insert into campaign_links (campaign_id, url_hash, url)
  select distinct on (campaign_id, hash) campaign_id, hash, url
    from link, sha256(convert_to(url, 'UTF8')) as hash
   where campaign_id is not null order by campaign_id, hash
  on conflict (campaign_id, url_hash) do nothing
), deliveries as (
  ${insertEmailDeliveries('EMAIL_SENT', 'email')}
)
select array(select token from gone) as moved, array(select id from deliveries) as deliveries`;

export function sentParameters(emails: readonly (readonly [Lease, SentEmail])[]): unknown[] {
  return [
    emails.map(([{ emailId }]) => emailId),
    emails.map(([{ token }]) => token),
    emails.map(([, { providerId }]) => providerId),
    emails.map(([, { sentAt }]) => sentAt),
    JSON.stringify(emails.map(([, { urls }]) => urls)),
  ];
}

/** $1 email, $2 token, $3 reason. */
export const MARK_FAILED = `
with gone as (
  delete from pending_emails p using (select $2::uuid as token) b where p.email_id = $1 and ${HELD}
  returning p.email_id, p.attempts, p.possible_duplicate, p.provider_id
)
update emails e
   set status = 'failed', failed_at = now(), last_error = $3, attempts = gone.attempts,
       possible_duplicate = gone.possible_duplicate, provider_id = gone.provider_id
  from gone where e.id = gone.email_id
returning e.organization_id, e.campaign_id, e.contact_ids`;

/** $1 email, $2 token, $3 milliseconds, $4 reason, $5 attempts to take back, $6 possible duplicate, $7 provider id. */
export const POSTPONE = `
update pending_emails
   set lease_token = null, lease_until = null, due_at = now() + $3 * interval '1 ms', last_error = $4,
       attempts = attempts - $5, possible_duplicate = possible_duplicate or $6,
       provider_id = coalesce($7, provider_id), dispatched_at = null, generation = generation + 1
 where email_id = $1 and lease_token = $2
returning email_id`;
