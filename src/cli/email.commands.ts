import type { Command } from 'commander';
import { isUuid } from '../clock/uuid-v7.js';
import { retryFailed } from '../emails/email-retries.js';
import { InvalidFieldError } from '../errors/domain-error.js';
import { printJson, withDatabase } from './command-context.js';

interface RetryOptions {
  since: string;
  org?: string;
}

export function addEmailCommands(program: Command, projectDirectory: string): void {
  const email = program.command('email').description('emails on their way');
  email
    .command('retry')
    .description('queue again every email that failed since a time')
    .requiredOption('--since <time>', 'ISO 8601 time, such as 2026-05-04T08:00:00Z')
    .option('--org <id>', 'only of this organization')
    .action(async ({ since, org }: RetryOptions) => {
      const from = readTime(since);
      if (org !== undefined && !isUuid(org)) throw new InvalidFieldError('org', 'must be the ID of an organization');
      printJson(await withDatabase(projectDirectory, (database) => retryFailed(database, from, org ?? null)));
    });
}

/** With a zone: a time that means another one on another host would retry other emails. */
function readTime(text: string): Date {
  const time = new Date(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? text : NaN);
  if (Number.isNaN(time.getTime())) throw new InvalidFieldError('since', 'must be a time like 2026-05-04T08:00:00Z');
  return time;
}
