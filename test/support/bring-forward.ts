import type { Database } from '../../src/platform/database/database.js';

/** Makes the unsent emails of an organization due earlier, as if time had passed. */
export async function bringForward(database: Database, organizationId: string, milliseconds: number): Promise<void> {
  await database.query(
    `with moved as (
       update emails set send_at = send_at - $2 * interval '1 ms' where organization_id = $1 and send_at is not null
     )
     update pending_emails
        set due_at = due_at - $2 * interval '1 ms', queued_at = queued_at - $2 * interval '1 ms'
      where organization_id = $1`,
    [organizationId, milliseconds],
  );
}
