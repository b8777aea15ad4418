import { lowestIdAt } from '../platform/database/id-time.sql.js';
import { TEST_EVENT } from './webhook-events.js';

/** True for an open or a click that waits until later hits can no longer show a machine. */
export const IS_UNDECIDED = `(event_id is not null and attempts = 0 and status = 'pending' and next_attempt_at > now())`;

/** Makes a delivery due now and restarts its retry schedule. Callers skip deliveries with an attempt in flight. */
export const BACK_TO_START = `status = 'pending', retries = 0, next_attempt_at = date_trunc('milliseconds', now()),
  finished_at = null`;

/** The lowest ID of a delivery created since $2, minus one millisecond for the rounding of both times. */
const FIRST_ID = lowestIdAt(`$2::timestamptz - interval '1 ms'`);

const SINCE = `endpoint_id = $1 and id >= ${FIRST_ID} and created_at >= $2
  and ($4::timestamptz is null or created_at < $4) and lease_token is null
  and type <> '${TEST_EVENT}'`;
const IS_FAILED = `status = 'failed'`;
const IS_WAITING = `status = 'pending' and next_attempt_at > now() and not ${IS_UNDECIDED}`;

const oldest = (which: string): string =>
  `(select id from webhook_deliveries where ${SINCE} and ${which} order by id limit $3::int)`;

/**
 * Replays failed and waiting deliveries of endpoint $1 from $2 to $4 (null for no end), the oldest $3, without tests.
 * Each of the two states has its own index, so delivered rows, by far the most, are not read. Returns their IDs, and
 * how many it chose: a worker may claim some of them meanwhile.
 */
export const REPLAY = `with missed as (${oldest(IS_FAILED)} union all ${oldest(IS_WAITING)}),
  chosen as (select id from missed order by id limit $3::int),
  replayed as (
    select id from webhook_deliveries
     where id in (select id from chosen) and lease_token is null and (${IS_FAILED} or (${IS_WAITING}))
     order by id for update
  ), resumed as (
    update webhook_endpoints set paused_until = null, asked_until = null where id = $1
  ), restarted as (
    update webhook_deliveries d set ${BACK_TO_START} from replayed where d.id = replayed.id returning d.id
  )
  select (select count(*)::int from chosen) as chosen, array(select id::text from restarted) as ids`;
