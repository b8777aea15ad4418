import type { Command } from 'commander';
import { findSettings, printJson } from './command-context.js';

export function addMigrateCommand(program: Command, projectDirectory: string): void {
  program
    .command('migrate')
    .description("migrate the database to this build's schema; safe to run repeatedly and concurrently")
    .action(async () => {
      const { DATABASE_URL } = await findSettings(projectDirectory);
      const { migrate } = await import('../platform/database/migrate.js');
      await migrate(DATABASE_URL, {
        onBlocked: (reason) => process.stderr.write(`Waiting: ${reason}\n`),
      });
      printJson({ migrated: true });
    });
}
