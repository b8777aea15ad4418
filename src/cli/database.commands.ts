import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { provideTrackingRole } from '../platform/database/tracking-role.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { loadSigningKeys } from '../links/signing-key-store.js';
import { printJson, withDatabase } from './command-context.js';

export function addDatabaseCommands(program: Command, projectDirectory: string): void {
  program
    .command('database')
    .description('who may do what in Postgres')
    .command('tracking-role')
    .description('makes a login for the tracking role that reads its keys and nothing else; password on standard input')
    .requiredOption('--name <name>', 'name of the login')
    .action(async ({ name }: { name: string }) => {
      const password = (await text(process.stdin)).trim();
      if (password === '') throw new InvalidFieldError('password', 'must come on standard input');
      await withDatabase(projectDirectory, async (database) => {
        await loadSigningKeys(database); // that login cannot make the first one
        await provideTrackingRole(database, name, password);
      });
      printJson({ name });
    });
}
