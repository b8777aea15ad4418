import { LISTENS_TO_ENGAGEMENT } from './listens-to.sql.js';
import { IS_UNDECIDED } from './replay-statement.js';

/** An endpoint with this many deliveries that its receiver holds up gets no more opens and clicks. */
export const MAX_PENDING = 20_000;

/**
 * Of all pending deliveries. Opens and clicks whose verdict may still change wait with any receiver, so their number
 * only depends on the traffic: by default, 3,000 a second fit.
 */
export const MAX_WAITING = 200_000;

/** True if the endpoint `w` has more pending deliveries than this. Rows that are due come first. */
const hasMoreThan = (limit: number, which = 'true'): string =>
  `exists (select from webhook_deliveries p where p.endpoint_id = w.id and p.status = 'pending' and ${which}
            order by p.next_attempt_at offset ${limit} limit 1)`;

/**
 * Endpoints with too many pending deliveries, of the organizations of the emails. The first count reads only an index;
 * nearly all endpoints need no other. The second ends soon in a backlog, and the third limits both. $1: IDs of emails.
 */
export const FULL_ENDPOINTS = `select w.id from webhook_endpoints w
   where ${LISTENS_TO_ENGAGEMENT}
     and w.organization_id in (select organization_id from emails where id = any($1::uuid[]))
     and case when ${hasMoreThan(MAX_PENDING)}
              then ${hasMoreThan(MAX_PENDING, `not ${IS_UNDECIDED}`)} or ${hasMoreThan(MAX_WAITING)} end`;
