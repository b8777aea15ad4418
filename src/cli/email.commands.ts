import type { Command } from 'commander';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import {
  listUnknownOutcomes,
  settleUnknownOutcome,
  type OutcomeDecision,
} from '../emails/delivery/unknown-outcomes.js';
import { linksOfAttempt } from '../emails/delivery/links-of-attempt.js';
import { cancelEmail } from '../emails/schedule/cancel-email.js';
import { retryFailed } from '../emails/read/email-retries.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { readTime } from '../platform/http/time-parameter.js';
import { loadSigningKeys } from '../links/signing-key-store.js';
import { printJson, withDatabase } from './command-context.js';
import { limitOption } from './limit-option.js';

interface RetryOptions {
  since: string;
  org?: string;
}

const VERDICTS: readonly OutcomeDecision[] = ['sent', 'resend', 'failed'];

export function addEmailCommands(program: Command, projectDirectory: string): void {
  const email = program.command('email').description('emails and their deliveries');
  email
    .command('retry')
    .description('requeue every email that failed since a given time')
    .requiredOption('--since <time>', 'ISO 8601 time, such as 2026-05-04T08:00:00Z')
    .option('--org <id>', 'only of this organization')
    .action(async ({ since, org }: RetryOptions) => {
      const from = new Date(readTime('since', since));
      const organizationId = readOrganization(org);
      const outcome = await withDatabase(projectDirectory, async (database) => {
        const target = { kind: 'failed-emails', id: null };
        const details = { since: from };
        await AuditLog.record(database, { ...operatorOf(organizationId), action: 'email.retried', target, details });
        return retryFailed(database, from, organizationId);
      });
      printJson(outcome);
    });
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
  await withDatabase(projectDirectory, async (database) => {
    for (const id of ids)
      outcome[(await cancelEmail(database, id, operatorOf(null))) ? 'canceled' : 'unchanged'].push(id);
  });
  printJson(outcome);
}

function requireIds(ids: readonly string[]): void {
  for (const id of ids) if (!isUuid(id)) throw new InvalidFieldError('id', `${id} is not the ID of an email`);
}

function addUnknownOutcomeCommands(email: Command, projectDirectory: string): void {
  const outcomes = email
    .command('doubtful')
    .description('emails with an unknown delivery outcome: the provider may or may not have accepted them');
  outcomes
    .command('list')
    .description('list emails that wait for their single resend, and emails that failed without one')
    .option('--org <id>', 'only of this organization')
    .addOption(limitOption())
    .action(async ({ org, limit }: { org?: string; limit: number }) => {
      const organizationId = readOrganization(org);
      printJson(
        await withDatabase(projectDirectory, (database) => listUnknownOutcomes(database, organizationId, limit)),
      );
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
  await withDatabase(projectDirectory, async (database, settings) => {
    const keys = await loadSigningKeys(database);
    for (const id of ids) {
      const isSettled = await settleUnknownOutcome(database, id, verdict, (email) =>
        linksOfAttempt(email, settings.BASE_URL, keys),
      );
      outcome[isSettled ? 'settled' : 'unchanged'].push(id);
    }
  });
  printJson(outcome);
}

function readOrganization(org: string | undefined): string | null {
  if (org !== undefined && !isUuid(org)) throw new InvalidFieldError('org', 'must be the ID of an organization');
  return org ?? null;
}
