/** Failures in a row after which an endpoint is only probed. */
export const BREAKER_FAILURES = 5;

/** Endpoints that may be called now, `w`. */
export const IS_OPEN = `w.enabled and w.sealed_secret is not null and (w.paused_until is null or w.paused_until <= now())`;
const IS_DUE = `d.status = 'pending' and d.next_attempt_at <= now()`;

/**
 * Every endpoint that has something pending, found by one step down the index for each: a queue of millions costs no
 * more than a queue of one.
 */
export const PENDING_ENDPOINTS = `waiting (endpoint_id) as (
  (select endpoint_id from webhook_deliveries where status = 'pending' order by endpoint_id limit 1)
  union all
  select (select d.endpoint_id from webhook_deliveries d
           where d.status = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
    from waiting where waiting.endpoint_id is not null
)`;

const WOKEN = `candidates as (
  select d.id, d.endpoint_id, d.next_attempt_at from webhook_deliveries d where d.id = any($9::uuid[]) and ${IS_DUE}
)`;

const DUE = `candidates as (
  select d.* from waiting join webhook_endpoints w on w.id = waiting.endpoint_id and ${IS_OPEN}
   cross join lateral (
     select d.id, d.endpoint_id, d.next_attempt_at from webhook_deliveries d
      where d.endpoint_id = w.id and ${IS_DUE} order by d.next_attempt_at limit $5::int
   ) d
)`;

/*
 * $1 lease token, $2 lease in milliseconds, $3 places for healthy endpoints, $4 for troubled ones, $5 for any one
 * endpoint, $6 and $7 endpoints and how many of their deliveries are under way here, $8 slow endpoints.
 *
 * An endpoint that failed too often gets one delivery as a probe, and is paused for as long as that may take. Such
 * endpoints are locked in the order of their ids, or two workers could wait for each other.
 */
const CLAIM = `queued as (
  select c.id, w.id as endpoint_id, w.failures >= ${BREAKER_FAILURES} as is_probe,
         w.failures > 0 or w.id = any($8::uuid[]) as troubled,
         row_number() over (partition by w.id order by c.next_attempt_at, c.id) as turn
    from candidates c join webhook_endpoints w on w.id = c.endpoint_id and ${IS_OPEN}
),
admitted as (
  select q.id, q.troubled, row_number() over (partition by q.troubled order by q.turn, q.id) as place
    from queued q left join unnest($6::uuid[], $7::int[]) as r (endpoint_id, running) using (endpoint_id)
   where q.turn + coalesce(r.running, 0) <= case when q.is_probe then 1 else $5::int end
),
chosen as (
  select d.id, a.troubled from webhook_deliveries d join admitted a on a.id = d.id
   where a.place <= case when a.troubled then $4::int else $3::int end and ${IS_DUE}
     for update of d skip locked
),
claimed as (
  update webhook_deliveries d
     set lease_token = $1::uuid, next_attempt_at = now() + $2 * interval '1 ms'
    from chosen where d.id = chosen.id
  returning d.id, d.endpoint_id, d.body, d.retries, chosen.troubled
),
probing as (
  select id from webhook_endpoints
   where failures >= ${BREAKER_FAILURES} and id in (select endpoint_id from claimed)
   order by id for no key update
),
probed as (
  update webhook_endpoints w set paused_until = now() + $2 * interval '1 ms' from probing where w.id = probing.id
)
select c.id, c.endpoint_id as "endpointId", $1::uuid::text as "leaseToken", w.url, c.body, c.retries, c.troubled,
       w.sealed_secret as "sealedSecret",
       case when w.previous_secret_until > now() then w.sealed_previous_secret end as "sealedPreviousSecret"
  from claimed c join webhook_endpoints w on w.id = c.endpoint_id`;

/** $9: ids of deliveries. */
export const CLAIM_WOKEN = `with ${WOKEN}, ${CLAIM}`;

export const CLAIM_DUE = `with recursive ${PENDING_ENDPOINTS}, ${DUE}, ${CLAIM}`;
