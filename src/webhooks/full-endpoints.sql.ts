import { LISTENS_TO_ENGAGEMENT, LISTENS_TO_RECIPIENTS } from './listens-to.sql.js';

/**
 * An endpoint whose receiver holds up more deliveries than this gets no more opens and clicks, and not each change of
 * mind of a recipient. All else has an end: an email is sent once, and is delivered to each recipient once.
 */
export const MAX_PENDING = 20_000;

/**
 * The same with those that wait for their verdict: with any receiver, their number only depends on the traffic. By
 * default, 1,600 a second fit.
 */
export const MAX_WAITING = 100_000;

/** The number of pending deliveries of the endpoint `w`, or one more than the limit. */
const pendingUpTo = (limit: number, which = 'true'): string =>
  `(select count(*) from (select from webhook_deliveries p where p.endpoint_id = w.id and p.status = 'pending' and ${which}
      order by p.next_attempt_at limit ${limit} + 1) pending)`;

const IS_DUE = 'p.next_attempt_at <= now()';
const WAITS_FOR_RETRY = `p.next_attempt_at > statement_timestamp() + $2::float8 * interval '1 ms'`;

/**
 * Endpoints with too many pending deliveries, of the organizations of the emails. Only the index is read, so a retry
 * that follows within the time of a verdict counts once it is due. $1 IDs of emails, $2 how long a verdict may change,
 * in milliseconds.
 */
export const FULL_ENDPOINTS = `select w.id from webhook_endpoints w
   where ${LISTENS_TO_ENGAGEMENT}
     and w.organization_id in (select organization_id from emails where id = any($1::uuid[]))
     and (${pendingUpTo(MAX_PENDING, IS_DUE)} + ${pendingUpTo(MAX_PENDING, WAITS_FOR_RETRY)} > ${MAX_PENDING}
       or ${pendingUpTo(MAX_WAITING)} > ${MAX_WAITING})`;

/**
 * Endpoints with too many pending deliveries apart from opens and clicks, of the organizations of the emails. $1 IDs of
 * emails.
 */
export const FULL_OF_OTHERS = `select w.id from webhook_endpoints w
   where ${LISTENS_TO_RECIPIENTS}
     and w.organization_id in (select organization_id from emails where id = any($1::uuid[]))
     and ${pendingUpTo(MAX_PENDING, 'p.event_id is null')} > ${MAX_PENDING}`;
