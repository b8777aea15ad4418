import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { provideTrackingRole } from '../platform/database/tracking-role.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { loadSigningKeys } from '../links/signing-key-store.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { printJson, withDatabase } from './command-context.js';

export function addDatabaseCommands(program: Command, projectDirectory: string): void {
  program
    .command('database')
    .description('database logins')
    .command('tracking-role')
    .description(
      'create a login for the tracking role that can only read its signing keys; reads the password from standard input',
    )
    .requiredOption('--name <name>', 'name of the login')
    .action(async ({ name }: { name: string }) => {
      const password = (await text(process.stdin)).trim();
      if (password === '') throw new InvalidFieldError('password', 'must be given on standard input');
      await withDatabase(projectDirectory, async (database) => {
        await loadSigningKeys(database); // creates the first key, which the new login may not
        await database.transaction(async (sql) => {
          await provideTrackingRole(sql, name, password);
          const target = { kind: 'database-login', id: name };
          await AuditLog.record(sql, { ...operatorOf(null), action: 'database.role-changed', target });
        });
      });
      printJson({ name });
    });
}
