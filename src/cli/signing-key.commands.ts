import type { Command } from 'commander';
import type { Database } from '../platform/database/database.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { addSigningKey } from '../links/signing-key-store.js';
import { printJson, withDatabase } from './command-context.js';

export function addSigningKeyCommands(program: Command, projectDirectory: string): void {
  program
    .command('signing-key')
    .description('signing keys of tracking links')
    .command('rotate')
    .description('add a key that starts signing in ten minutes; links signed with older keys keep working')
    .action(async () => printJson(await withDatabase(projectDirectory, rotate)));
}

function rotate(database: Database): ReturnType<typeof addSigningKey> {
  return database.transaction(async (sql) => {
    const added = await addSigningKey(sql);
    const target = { kind: 'signing-key', id: String(added.id) } as const;
    await AuditLog.record(sql, { ...operatorOf(null), action: 'signing-key.rotated', target });
    return added;
  });
}
