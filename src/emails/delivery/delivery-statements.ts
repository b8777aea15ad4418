import { appendSent } from '../../campaigns/stats/append-stats.sql.js';
import { isOwnProvider } from '../../organizations/providers/own-provider-id.sql.js';
import { Statement } from '../../platform/database/statement.js';
import { insertEmailDeliveries } from '../../webhooks/webhook-payloads.sql.js';
import { HELD_FOR, IS_OUT_OF_QUEUE, OUT_OF_QUEUE_FOR } from '../dispatch/parked-email.sql.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';

export interface SentEmail {
  readonly providerId: string;
  /** The provider's words. */
  readonly response?: string;
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

/**
 * Ends the leases of accepted emails. Links are a JSON list of lists, because a Postgres array of arrays needs lists
 * of equal length and costs the driver an escape per link. Each different list comes once: the emails of a broadcast
 * mostly share theirs.
 */
export const MARK_SENT = new Statement(
  'mark-sent',
  {
    emailIds: 'uuid[]',
    tokens: 'uuid[]',
    providerIds: 'text[]',
    responses: 'text[]',
    sentAts: 'timestamptz[]',
    listPlaces: 'integer[]',
    urlLists: 'json',
  },
  `
with
-- Locks the pending rows whose lease is still good, in email order.
held as (
  select p.email_id, b.token, b.provider_id, b.response, b.sent_at, b.list_place
    from pending_emails p
    join unnest(:emailIds, :tokens, :providerIds, :responses, :sentAts, :listPlaces)
      as b (id, token, provider_id, response, sent_at, list_place) on p.email_id = b.id
   where ${HELD}
   order by p.email_id for update of p
),
-- Final emails have no pending row.
gone as (
  delete from pending_emails p using held h where p.email_id = h.email_id
  returning p.email_id, h.token, h.provider_id, h.response, h.sent_at, h.list_place, p.attempts, p.possible_duplicate, p.provider
),
-- Locks the emails in the same order.
locked as (
  select e.id from emails e join gone on gone.email_id = e.id order by e.id for no key update of e
),
-- Marks them sent.
email as (
  update emails e
     set status = 'sent', sent_at = g.sent_at, provider_id = g.provider_id, last_error = null,
         provider_response = nullif(g.response, ''),
         attempts = g.attempts, possible_duplicate = g.possible_duplicate,
         own_provider = coalesce(${isOwnProvider('g.provider')}, e.own_provider)
    from gone g join locked on locked.id = g.email_id
   where e.id = g.email_id
  returning e.*
),
-- Counts them in the hour in which they were sent.
stat as (
  ${appendSent('email')}
),
-- The destinations of their links, each different list once.
list as materialized (
  select list.place, array(
           select l.url from json_array_elements_text(list.urls) with ordinality as l (url, place) order by l.place
         ) as urls
    from json_array_elements(:urlLists) with ordinality as list (urls, place)
),
-- Stores them with the email, ...
links as (
  insert into email_links (email_id, urls)
  select email.id, list.urls
    from email join gone on gone.email_id = email.id join list on list.place = gone.list_place
   where cardinality(list.urls) > 0
  on conflict (email_id) do nothing
),
-- ... and adds them to those of the campaign.
campaign_link as (
  insert into campaign_links (campaign_id, url_hash, url)
  select distinct on (campaign_id, hash) campaign_id, hash, url
    from (select distinct email.campaign_id, gone.list_place
            from email join gone on gone.email_id = email.id where email.campaign_id is not null) as sent
    join list on list.place = sent.list_place
   cross join unnest(list.urls) as url, sha256(convert_to(url, 'UTF8')) as hash
   order by campaign_id, hash
  on conflict (campaign_id, url_hash) do nothing
),
-- Adds a webhook delivery for each endpoint that listens.
deliveries as (
  ${insertEmailDeliveries('EMAIL_SENT', 'email')}
)
select array(select token from gone) as moved, array(select id from deliveries) as deliveries`,
);

/** Ends the lease of an email that fails for good. */
export const MARK_FAILED = new Statement(
  'mark-failed',
  { emailId: 'uuid', token: 'uuid', reason: 'text' },
  `
with
-- Final emails have no pending row.
gone as (
  delete from pending_emails p using (select :token as token) b where p.email_id = :emailId and ${HELD}
  returning p.email_id, p.attempts, p.possible_duplicate, p.provider_id, p.provider
)
update emails e
   set status = 'failed', failed_at = now(), last_error = :reason, attempts = gone.attempts,
       possible_duplicate = gone.possible_duplicate, provider_id = gone.provider_id,
       own_provider = coalesce(${isOwnProvider('gone.provider')}, e.own_provider)
  from gone where e.id = gone.email_id
returning e.organization_id, e.campaign_id, e.contact_ids`,
);

/**
 * Ends the lease of an email that waits for its next attempt, and stores why this one did not deliver it. A former
 * holder whose attempt certainly failed ends the doubt about it, and leaves it in the pause of its broadcast, or held.
 * If some recipients have the email, its links are stored: they can be clicked, and no later attempt may render them.
 */
export const POSTPONE = new Statement(
  'postpone-email',
  {
    emailId: 'uuid',
    token: 'uuid',
    delayMs: 'float8',
    isHeld: 'boolean',
    reason: 'text',
    uncountedAttempts: 'integer',
    possibleDuplicate: 'boolean',
    providerId: 'text?',
    urls: 'text[]',
  },
  `
with
-- The email waits again.
postponed as (
  update pending_emails p
     set lease_token = null, lease_until = null, last_error = :reason,
         due_at = case when :isHeld and not ${IS_OUT_OF_QUEUE} then p.queued_at + ${HELD_FOR}
                       else now() + :delayMs * interval '1 ms' + ${OUT_OF_QUEUE_FOR} end,
         attempts = p.attempts - :uncountedAttempts,
         possible_duplicate = case when p.lease_token is null then e.possible_duplicate
                                   else p.possible_duplicate or :possibleDuplicate end,
         doubt_token = case when p.lease_token is not null then p.doubt_token end,
         provider_id = coalesce(:providerId, p.provider_id), dispatched_at = null, generation = generation + 1
    from (select :token as token) b, emails e
   where p.email_id = :emailId and e.id = p.email_id
     and ${HELD} and not (p.lease_token is null and :possibleDuplicate)
  returning p.email_id, p.attempts, e.campaign_id
),
links as (
  insert into email_links (email_id, urls) select email_id, :urls from postponed where cardinality(:urls) > 0
  on conflict (email_id) do nothing
),
campaign_link as (
  insert into campaign_links (campaign_id, url_hash, url)
  select distinct on (hash) campaign_id, hash, url
    from postponed cross join unnest(:urls) as url, sha256(convert_to(url, 'UTF8')) as hash
   where campaign_id is not null order by hash
  on conflict (campaign_id, url_hash) do nothing
),
-- Attempts that do not count are not stored, because they are too many: a paused provider holds every email again and
-- again.
attempt as (
  insert into email_attempts (email_id, number, reason)
  select email_id, attempts, :reason from postponed where :uncountedAttempts = 0
  on conflict do nothing
)
select email_id from postponed`,
);

/** The provider has another copy for some recipients, or may have one: a report does not end that doubt. $1 email. */
export const KEEP_FLAG = `
update emails e set possible_duplicate = true from pending_emails p
 where e.id = $1 and p.email_id = e.id and p.possible_duplicate and not e.possible_duplicate`;
