import type { Command } from 'commander';
import { addSigningKey } from '../links/signing-key-store.js';
import { printJson, withDatabase } from './command-context.js';

export function addSigningKeyCommands(program: Command, projectDirectory: string): void {
  program
    .command('signing-key')
    .description('the keys that tracking links are signed with')
    .command('rotate')
    .description('adds a key that signs in ten minutes; links signed by older ones go on working')
    .action(async () => printJson(await withDatabase(projectDirectory, (database) => addSigningKey(database))));
}
