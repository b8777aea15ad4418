import type { Database } from '../../src/platform/database/database.js';

/**
 * Makes the unsent emails of an organization due earlier, as if time had passed. Locks them in the order of workers.
 */
export async function bringForward(database: Database, organizationId: string, milliseconds: number): Promise<void> {
  await database.query(
    `with locked as materialized (
       select email_id from pending_emails where organization_id = $1 order by email_id for update
     ), moved as (
       update emails set send_at = send_at - $2 * interval '1 ms'
        where organization_id = $1 and send_at is not null and (select count(*) from locked) >= 0
     )
     update pending_emails
        set due_at = due_at - $2 * interval '1 ms', queued_at = queued_at - $2 * interval '1 ms'
      where email_id in (select email_id from locked)`,
    [organizationId, milliseconds],
  );
}
