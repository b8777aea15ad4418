/**
 * SQL: takes emails out of the queue, except those that a worker is sending. The feeder dispatches them again when
 * their mail may be sent. Needed before and after a pause: a job that runs during a pause ends, so its email would
 * wait for recovery.
 * @param condition SQL condition for a row `p` of `pending_emails`
 */
export const recallEmails = (condition: string): string => `
update pending_emails set dispatched_at = null, generation = generation + 1
 where email_id = any(array(
   select p.email_id from pending_emails p
    where ${condition} and p.dispatched_at is not null and p.lease_token is null
    order by p.email_id for update of p skip locked))`;
