import { TEST_EVENT } from '../webhook-events.js';
import { engagementBody } from '../webhook-payloads.sql.js';

/** Failures in a row after which an endpoint is only probed. */
export const BREAKER_FAILURES = 5;

/** Endpoints that may be called, `w`. While one is paused, only with a test. */
const IS_ENABLED = `w.enabled and w.sealed_secret is not null`;
const IS_UNPAUSED = `(w.paused_until is null or w.paused_until <= now())`;
/** Endpoints that may be called now with anything, `w`. */
export const IS_OPEN = `${IS_ENABLED} and ${IS_UNPAUSED}`;
const IS_DUE = `d.status = 'pending' and d.next_attempt_at <= now()`;
/** Of `d` or `c`: somebody asked for it and waits, and its outcome says nothing about the deliveries that wait. */
const isTest = (row: string): string => `${row}.type = '${TEST_EVENT}'`;
/** Of a candidate: the endpoint failed so often that one delivery at a time tries it. A test is no such probe. */
const IS_PROBE = `(w.failures >= ${BREAKER_FAILURES} and not ${isTest('c')})`;

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
  select d.id, d.endpoint_id, d.next_attempt_at, d.event_id, d.type from webhook_deliveries d
   where d.id = any($9::uuid[]) and ${IS_DUE}
)`;

/** The first of those of the endpoint `w` that are due. */
const firstDue = (which: string): string =>
  `(select d.id, d.endpoint_id, d.next_attempt_at, d.event_id, d.type from webhook_deliveries d
       where d.endpoint_id = w.id and ${IS_DUE} and ${which} order by d.next_attempt_at limit $5::int)`;

const DUE = `candidates as (
  select d.* from waiting join webhook_endpoints w on w.id = waiting.endpoint_id and ${IS_ENABLED}
   cross join lateral (
     ${firstDue(isTest('d'))}
     union
     ${firstDue(`d.event_id is null and ${IS_UNPAUSED}`)}
     union
     ${firstDue(IS_UNPAUSED)}
   ) d
)`;

/*
 * $1 lease token, $2 lease in milliseconds, $3 places for healthy endpoints, $4 for troubled ones, $5 for any one
 * endpoint, $6 and $7 endpoints and how many of their deliveries are under way here, $8 slow endpoints.
 *
 * An endpoint that failed too often gets one delivery as a probe, and is paused for as long as that may take. Such
 * endpoints are locked in the order of their ids, or two workers could wait for each other. Of one endpoint, tests go
 * first, and what became of emails goes before opens and clicks, of which there can be any number.
 *
 * Requests under way count as turns that an endpoint has had. Else endpoints that stop responding, whose deliveries are
 * the oldest, would take every place that their own slow requests give back.
 */
const CLAIM = `queued as (
  select c.id, ${IS_PROBE} as is_probe, w.failures > 0 or w.id = any($8::uuid[]) as troubled,
         coalesce(r.running, 0) + row_number() over (partition by w.id, ${IS_PROBE}
           order by not ${isTest('c')}, c.event_id is not null, c.next_attempt_at, c.id) as turn
    from candidates c join webhook_endpoints w on w.id = c.endpoint_id and ${IS_ENABLED}
     and (${IS_UNPAUSED} or ${isTest('c')})
    left join unnest($6::uuid[], $7::int[]) as r (endpoint_id, running) on r.endpoint_id = w.id
),
admitted as (
  select q.id, q.troubled, row_number() over (partition by q.troubled order by q.turn, q.id) as place
    from queued q where q.turn <= case when q.is_probe then 1 else $5::int end
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
  returning d.*, chosen.troubled
),
probing as (
  select id from webhook_endpoints
   where failures >= ${BREAKER_FAILURES} and id in (select c.endpoint_id from claimed c where not ${isTest('c')})
   order by id for no key update
),
probed as (
  update webhook_endpoints w set paused_until = now() + $2 * interval '1 ms' from probing where w.id = probing.id
)
select d.id, d.endpoint_id as "endpointId", $1::uuid::text as "leaseToken", w.url,
       coalesce(d.body, ${engagementBody('d')}) as body, d.retries, d.troubled, ${isTest('d')} as "isTest",
       w.sealed_secret as "sealedSecret",
       case when w.previous_secret_until > now() then w.sealed_previous_secret end as "sealedPreviousSecret"
  from claimed d join webhook_endpoints w on w.id = d.endpoint_id`;

/** $9: ids of deliveries. */
export const CLAIM_WOKEN = `with ${WOKEN}, ${CLAIM}`;

export const CLAIM_DUE = `with recursive ${PENDING_ENDPOINTS}, ${DUE}, ${CLAIM}`;
