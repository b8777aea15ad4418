import type { Command } from 'commander';
import { findSettings, printJson } from './command-context.js';

export function addMigrateCommand(program: Command, projectDirectory: string): void {
  program
    .command('migrate')
    .description("bring the database to this build's schema; safe to run several times and at once")
    .action(async () => {
      const { DATABASE_URL } = await findSettings(projectDirectory);
      const { migrate } = await import('../platform/database/migrate.js');
      await migrate(DATABASE_URL, {
        onBlocked: (reason) => process.stderr.write(`Waiting for others to let go of a table (${reason})\n`),
      });
      printJson({ migrated: true });
    });
}
