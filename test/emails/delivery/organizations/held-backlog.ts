import { randomUUID } from 'node:crypto';
import { pauseIdOf, providerPauseKey } from '../../../../src/emails/delivery/provider-pause-key.js';
import { HELD_FOR } from '../../../../src/emails/dispatch/parked-email.sql.js';
import type { Database } from '../../../../src/platform/database/database.js';
import { insertBacklog, insertOrganization } from '../../../support/backlog.js';

/** An organization with held emails. Without a provider, they are released for those of the service. */
export async function holdMany(database: Database, emails: number): Promise<string> {
  const organizationId = await insertOrganization(database);
  await insertBacklog(database, organizationId, emails);
  await database.query(`update pending_emails set due_at = due_at + ${HELD_FOR} where organization_id = $1`, [
    organizationId,
  ]);
  return organizationId;
}

/** A provider that was changed long ago. @returns the key of its pause */
export async function addProvider(database: Database, organizationId: string): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into organization_providers (id, organization_id, name, type, sealed_credentials, changed_at)
     values ($1, $2, 'own', 'smtp', 'sealed', now() - interval '1 h')`,
    [id, organizationId],
  );
  return providerPauseKey(pauseIdOf(id, 1));
}

/** The emails that are released and have no job yet. */
export async function countReleased(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::integer as count from pending_emails where due_at <= now() and dispatched_at is null',
  );
  return row!.count;
}
