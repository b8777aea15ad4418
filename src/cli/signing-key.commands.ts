import type { Command } from 'commander';
import { addSigningKey } from '../links/signing-key-store.js';
import { printJson, withDatabase } from './command-context.js';

export function addSigningKeyCommands(program: Command, projectDirectory: string): void {
  program
    .command('signing-key')
    .description('signing keys of tracking links')
    .command('rotate')
    .description('add a key that starts signing in ten minutes; links signed with older keys keep working')
    .action(async () => printJson(await withDatabase(projectDirectory, (database) => addSigningKey(database))));
}
