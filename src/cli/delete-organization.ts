import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { markDeleted } from '../organizations/deletion/mark-deleted.js';
import { requireOrganization } from '../organizations/organizations.js';
import type { Database } from '../platform/database/database.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { ask } from './ask.js';
import { printJson, withDatabase } from './command-context.js';

/** Marks the organization; workers delete the rest. */
export async function deleteOrganization(projectDirectory: string, id: string, isSure: boolean): Promise<void> {
  await withDatabase(projectDirectory, async (database) => {
    await requireOrganization(database, id);
    if (!isSure) await requireConfirmation(database, id);
    await database.transaction(async (sql) => {
      if (!(await markDeleted(sql, id))) return;
      const target = { kind: 'organization', id } as const;
      await AuditLog.record(sql, { ...operatorOf(id), action: 'organization.deleted', target });
    });
  });
  printJson({ id, deleted: true });
}

/** An ID is easily mistyped, so the operator has to type the name. */
async function requireConfirmation(database: Database, id: string): Promise<void> {
  const [organization] = await database.query<{ name: string }>('select name from organizations where id = $1', [id]);
  const name = organization!.name;
  if (!process.stdin.isTTY) throw new OperatorError(`This deletes "${name}" for good. Add --yes if that is right`);
  const answer = await ask(`This deletes "${name}" with all its data, for good. Type its name: `);
  if (answer !== name) throw new OperatorError('That is not its name: nothing was deleted');
}
