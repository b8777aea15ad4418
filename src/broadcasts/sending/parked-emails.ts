import { IS_PARKED, OUT_OF_QUEUE_FOR, PARKED_FOR } from '../../emails/dispatch/parked-email.sql.js';
import type { Sql } from '../../platform/database/database.js';

/** Emails per statement. */
const BATCH = 1_000;

/**
 * Emails that are held for their provider are parked instead: after the pause, they find out whether it accepts them.
 */
const PARK = `
update pending_emails p set due_at = p.due_at - ${OUT_OF_QUEUE_FOR} + ${PARKED_FOR}, dispatched_at = null, generation = generation + 1
 where email_id = any(array(
   select p.email_id from pending_emails p
    where p.broadcast_id = $1 and p.lease_token is null and not ${IS_PARKED}
    order by p.email_id limit ${BATCH} for update of p skip locked))
returning 1 as parked`;

/** The 24 hours of retries begin again, as after a retry on request: a pause may last longer. */
const UNPARK = `
update pending_emails set due_at = due_at - ${PARKED_FOR}, first_claimed_at = null
 where email_id = any(array(
   select p.email_id from pending_emails p
    where p.broadcast_id = $1 and p.lease_token is null and ${IS_PARKED}
    order by p.email_id limit ${BATCH} for update of p skip locked))
returning 1 as unparked`;

/** Takes emails of a paused broadcast out of the queue, except those that a worker is sending. @returns how many */
export async function parkEmails(sql: Sql, broadcastId: string): Promise<number> {
  return (await sql.query(PARK, [broadcastId])).length;
}

/** Restores the due times from before the pause. @returns how many emails are due again */
export async function unparkEmails(sql: Sql, broadcastId: string): Promise<number> {
  return (await sql.query(UNPARK, [broadcastId])).length;
}
