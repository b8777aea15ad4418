import { countFailed, failedByNow, retryFailed } from '../emails/read/retry-failed.js';
import type { FailedEmails, FailedOfOrganization } from '../emails/read/retry-failed.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import type { Database } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { readTime } from '../platform/http/time-parameter.js';
import { ask } from './ask.js';
import { printJson, withDatabase } from './command-context.js';
import { readOrganization } from './read-organization.js';

/** Organizations that the preview names. */
const MAX_NAMED = 20;

export interface RetryOptions {
  readonly since: string;
  readonly until?: string;
  readonly org?: string;
  readonly yes?: true;
}

/** Queues failed emails again, once the operator has seen how many and whose. */
export async function retryEmails(projectDirectory: string, { since, until, org, yes }: RetryOptions): Promise<void> {
  const from = new Date(readTime('since', since));
  const end = until === undefined ? undefined : new Date(readTime('until', until));
  if (end && end <= from) throw new InvalidFieldError('until', 'must be later than --since');
  const outcome = await withDatabase(projectDirectory, async (database) => {
    const organizationId = await readOrganization(database, org);
    // What fails while the operator reads was not in the preview.
    const failedBy = await failedByNow(database);
    const chosen = { since: from, until: end && end < failedBy ? end : failedBy, organizationId };
    if (!yes) await requireConfirmation(database, chosen);
    const target = { kind: 'failed-emails', id: null } as const;
    const details = { since: from, ...(end && { until: end }) };
    await AuditLog.record(database, { ...operatorOf(organizationId), action: 'email.retried', target, details });
    return retryFailed(database, chosen);
  });
  printJson(outcome);
}

/** A wrong time would send mail again that nobody expects any more, and it cannot be called back. */
async function requireConfirmation(database: Database, chosen: FailedEmails): Promise<void> {
  const counts = await countFailed(database, chosen);
  const emails = sum(counts, 'emails');
  if (emails === 0) return;
  const preview = previewOf(counts, chosen);
  if (!process.stdin.isTTY) throw new OperatorError(`${preview}\nNothing was sent. Add --yes if that is right`);
  const answer = await ask(`${preview}\nType the number of emails to send them: `);
  if (answer !== String(emails)) throw new OperatorError('That is not their number: nothing was sent');
}

function previewOf(counts: readonly FailedOfOrganization[], { since, until }: FailedEmails): string {
  const sent = counts.filter(({ emails }) => emails > 0);
  const named = sent
    .slice(0, MAX_NAMED)
    .map(({ emails, name, id }) => `  ${emails} of ${JSON.stringify(name)} (${id})`);
  const others = sent.slice(MAX_NAMED);
  const staysFailed = sum(counts, 'staysFailed');
  return [
    `This sends ${sum(counts, 'emails')} emails again, which failed from ${since.toISOString()} until ${until.toISOString()}:`,
    ...named,
    ...(others.length === 0 ? [] : [`  ${sum(others, 'emails')} of ${others.length} other organizations`]),
    ...(staysFailed === 0
      ? []
      : [
          `${staysFailed} more stay failed: their campaign is archived, their broadcast canceled, or their recipient or content deleted.`,
        ]),
  ].join('\n');
}

function sum(counts: readonly FailedOfOrganization[], key: 'emails' | 'staysFailed'): number {
  return counts.reduce((total, count) => total + count[key], 0);
}
