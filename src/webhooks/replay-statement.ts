import { TEST_EVENT } from './webhook-events.js';

/** Due now, with the whole schedule before it; unless an attempt is under way, which goes on. */
export const BACK_TO_START = `status = 'pending', retries = 0, next_attempt_at = date_trunc('milliseconds', now()),
  finished_at = null`;

/** The first UUIDv7 that a delivery made since $2 can have, with a millisecond to spare for how either time is rounded. */
const FIRST_ID = `(lpad(to_hex(least(greatest((extract(epoch from $2::timestamptz) * 1000)::bigint - 1, 0), (1::bigint << 48) - 1)), 12, '0')
  || repeat('0', 20))::uuid`;

const SINCE = `endpoint_id = $1 and id >= ${FIRST_ID} and created_at >= $2 and lease_token is null
  and type <> '${TEST_EVENT}'`;
const IS_FAILED = `status = 'failed'`;
const IS_WAITING = `status = 'pending' and next_attempt_at > now()`;

const oldest = (which: string): string =>
  `(select id from webhook_deliveries where ${SINCE} and ${which} order by id limit $3::int)`;

/**
 * Brings back what failed or waits, of endpoint $1 since $2, the oldest $3; no tests. Either kind has an index of its own, so
 * that what was delivered, the most by far, is not read.
 */
export const REPLAY = `with missed as (${oldest(IS_FAILED)} union all ${oldest(IS_WAITING)}),
  again as (
    select id from webhook_deliveries
     where id in (select id from missed order by id limit $3::int) and lease_token is null
       and (${IS_FAILED} or (${IS_WAITING}))
     order by id for update
  ), heard as (
    update webhook_endpoints set paused_until = null, asked_until = null where id = $1
  )
  update webhook_deliveries d set ${BACK_TO_START} from again where d.id = again.id returning d.id`;
