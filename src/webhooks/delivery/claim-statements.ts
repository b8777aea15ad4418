import { TEST_EVENT } from '../webhook-events.js';
import { engagementBody } from '../webhook-payloads.sql.js';

/** Failures in a row after which an endpoint is only probed. */
export const BREAKER_FAILURES = 5;

/** Endpoints `w` that may be called. While one is paused, only tests are attempted. */
const IS_ENABLED = `w.enabled and w.sealed_secret is not null`;
const IS_UNPAUSED = `(w.paused_until is null or w.paused_until <= now())`;
/** Endpoints `w` that may be called now with any delivery. */
export const IS_OPEN = `${IS_ENABLED} and ${IS_UNPAUSED}`;
const IS_DUE = `d.status = 'pending' and d.next_attempt_at <= now()`;
/** For `d` or `c`. A client waits for its test, and its outcome does not affect the pending deliveries. */
const isTest = (row: string): string => `${row}.type = '${TEST_EVENT}'`;
/** For a candidate `c`: its endpoint failed so often that it gets one delivery at a time. A test is not a probe. */
const IS_PROBE = `(w.failures >= ${BREAKER_FAILURES} and not ${isTest('c')})`;

/**
 * Finds every endpoint with pending deliveries by one index lookup each (loose index scan), so a long queue costs no
 * more than a short one.
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

/** The first due deliveries of the endpoint `w`. */
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
 * $1 lease token, $2 lease in milliseconds, $3 slots for healthy endpoints, $4 for unhealthy ones, $5 for any one
 * endpoint, $6 and $7 endpoints and how many of their deliveries are in flight in this process, $8 slow endpoints.
 *
 * An endpoint that failed too often gets one delivery as a probe, and is paused for the duration of its lease. Such
 * endpoints are locked in the order of their IDs, so that two workers cannot deadlock. Within an endpoint, tests go
 * first. All other events go before opens and clicks, whose number has no limit.
 *
 * Requests in flight count as turns of their endpoint. Otherwise endpoints that stop responding, which have the oldest
 * deliveries, would take every slot that their own slow requests release. Within a turn chance decides: as many
 * endpoints with old deliveries as there are slots would take them all, and those with newer ones would wait
 * for their backlogs.
 */
const CLAIM = `queued as (
  select c.id, ${IS_PROBE} as is_probe, w.failures > 0 or w.id = any($8::uuid[]) as unhealthy,
         coalesce(r.running, 0) + row_number() over (partition by w.id, ${IS_PROBE}
           order by not ${isTest('c')}, c.event_id is not null, c.next_attempt_at, c.id) as turn
    from candidates c join webhook_endpoints w on w.id = c.endpoint_id and ${IS_ENABLED}
     and (${IS_UNPAUSED} or ${isTest('c')})
    left join unnest($6::uuid[], $7::int[]) as r (endpoint_id, running) on r.endpoint_id = w.id
),
admitted as (
  select q.id, q.unhealthy, row_number() over (partition by q.unhealthy order by q.turn, random()) as slot
    from queued q where q.turn <= case when q.is_probe then 1 else $5::int end
),
chosen as (
  select d.id, a.unhealthy from webhook_deliveries d join admitted a on a.id = d.id
   where a.slot <= case when a.unhealthy then $4::int else $3::int end and ${IS_DUE}
     for update of d skip locked
),
claimed as (
  update webhook_deliveries d
     set lease_token = $1::uuid, next_attempt_at = now() + $2 * interval '1 ms'
    from chosen where d.id = chosen.id
  returning d.*, chosen.unhealthy
),
probing as (
  select id from webhook_endpoints
   where failures >= ${BREAKER_FAILURES} and id in (select c.endpoint_id from claimed c where not ${isTest('c')})
   order by id for no key update
),
probed as (
  update webhook_endpoints w set paused_until = now() + $2 * interval '1 ms' from probing where w.id = probing.id
)
select d.id, d.endpoint_id as "endpointId", w.organization_id as "organizationId", $1::uuid::text as "leaseToken", w.url,
       coalesce(d.body, ${engagementBody('d')}) as body, d.retries, d.unhealthy, ${isTest('d')} as "isTest",
       w.sealed_secret as "sealedSecret",
       case when w.previous_secret_until > now() then w.sealed_previous_secret end as "sealedPreviousSecret"
  from claimed d join webhook_endpoints w on w.id = d.endpoint_id`;

/** $9: IDs of deliveries. */
export const CLAIM_WOKEN = `with ${WOKEN}, ${CLAIM}`;

export const CLAIM_DUE = `with recursive ${PENDING_ENDPOINTS}, ${DUE}, ${CLAIM}`;
