import type { Command } from 'commander';
import { operatorOf } from '../organizations/audit/record-audit.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { listUnknownOutcomes } from '../emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../emails/delivery/settle-unknown-outcome.js';
import { linksOfAttempt } from '../emails/delivery/links-of-attempt.js';
import { cancelEmail } from '../emails/schedule/cancel-email.js';
import type { Sql } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { loadSigningKeys } from '../links/signing-key-store.js';
import { printJson, withDatabase } from './command-context.js';
import { limitOption } from './limit-option.js';
import { readOrganization } from './read-organization.js';
import { retryEmails, type RetryOptions } from './retry-emails.js';

const VERDICTS: readonly OutcomeDecision[] = ['sent', 'resend', 'failed'];

export function addEmailCommands(program: Command, projectDirectory: string): void {
  const email = program.command('email').description('emails and their deliveries');
  email
    .command('retry')
    .description('send emails again that failed in a given time; shows how many and whose, and asks first')
    .requiredOption('--since <time>', 'that failed at or after this ISO 8601 time, such as 2026-05-04T08:00:00Z')
    .option('--until <time>', 'only those that failed before this ISO 8601 time')
    .option('--org <id>', 'only of this organization')
    .option('--yes', 'do not ask')
    .action((options: RetryOptions) => retryEmails(projectDirectory, options));
  email
    .command('cancel')
    .description('cancel emails that are scheduled or queued, unless a worker has claimed them')
    .argument('<ids...>', 'email IDs')
    .action((ids: string[]) => cancel(projectDirectory, ids));
  addUnknownOutcomeCommands(email, projectDirectory);
}

async function cancel(projectDirectory: string, ids: readonly string[]): Promise<void> {
  requireIds(ids);
  const outcome = { canceled: [] as string[], unchanged: [] as string[] };
  const unknown = await withDatabase(projectDirectory, async (database) => {
    const { known, unknown } = await findEmails(database, ids);
    for (const id of known)
      outcome[(await cancelEmail(database, id, operatorOf(null))) ? 'canceled' : 'unchanged'].push(id);
    return unknown;
  });
  printJson(outcome);
  refuseUnknown(unknown);
}

function requireIds(ids: readonly string[]): void {
  for (const id of ids) if (!isUuid(id)) throw new InvalidFieldError('id', `${id} is not the ID of an email`);
}

interface FoundEmails {
  readonly known: readonly string[];
  readonly unknown: readonly string[];
}

async function findEmails(sql: Sql, ids: readonly string[]): Promise<FoundEmails> {
  const rows = await sql.query<{ id: string }>('select id from emails where id = any($1::uuid[])', [ids]);
  const found = new Set(rows.map(({ id }) => id));
  const isKnown = (id: string): boolean => found.has(id.toLowerCase());
  return { known: ids.filter(isKnown), unknown: ids.filter((id) => !isKnown(id)) };
}

/** After the work on the others, which an ID too many must not keep from its end. @throws OperatorError */
function refuseUnknown(ids: readonly string[]): void {
  if (ids.length > 0) throw new OperatorError(`No email has the ID ${ids.join(', ')}`);
}

function addUnknownOutcomeCommands(email: Command, projectDirectory: string): void {
  const outcomes = email
    .command('doubtful')
    .description('emails with an unknown delivery outcome: the provider may or may not have accepted them');
  outcomes
    .command('list')
    .description('list these emails: those that wait for their single resend, and those that get none')
    .option('--org <id>', 'only of this organization')
    .addOption(limitOption())
    .action(async ({ org, limit }: { org?: string; limit: number }) => {
      const outcomes = await withDatabase(projectDirectory, async (database) =>
        listUnknownOutcomes(database, await readOrganization(database, org), limit),
      );
      printJson(outcomes);
    });
  outcomes
    .command('settle')
    .description('set the outcome of emails: sent, failed, or resend to send them again at once')
    .argument('<ids...>', 'email IDs from the list')
    .requiredOption('--as <verdict>', VERDICTS.join(', '))
    .action((ids: string[], { as }: { as: string }) => settle(projectDirectory, ids, as));
}

async function settle(projectDirectory: string, ids: readonly string[], as: string): Promise<void> {
  const verdict = VERDICTS.find((known) => known === as);
  if (!verdict) throw new InvalidFieldError('as', `must be one of ${VERDICTS.join(', ')}`);
  requireIds(ids);
  const outcome = { settled: [] as string[], unchanged: [] as string[] };
  const unknown = await withDatabase(projectDirectory, async (database, settings) => {
    const { known, unknown } = await findEmails(database, ids);
    const keys = await loadSigningKeys(database);
    for (const id of known) {
      const isSettled = await settleUnknownOutcome(database, id, verdict, (email) =>
        linksOfAttempt(email, settings.BASE_URL, keys),
      );
      outcome[isSettled ? 'settled' : 'unchanged'].push(id);
    }
    return unknown;
  });
  printJson(outcome);
  refuseUnknown(unknown);
}
