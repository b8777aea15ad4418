import type { Command } from 'commander';
import { blockLinks, unblockLinks, type LinkBlock } from '../links/blocking/blocked-links.js';
import type { AuditAction } from '../organizations/audit/audit-actions.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { cancelOrganizationMail, requestCancellation } from '../organizations/deletion/cancel-organization-mail.js';
import { deleteOrganization } from './delete-organization.js';
import { lockKnownOrganization } from '../organizations/organizations.js';
import type { Sql } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { resumeSending, suspendOrganization } from '../organizations/guard/guard-change.js';
import { printUsage } from './organization-usage.js';
import { printFromOrganizations, printJson, withDatabase } from './command-context.js';

const MAX_REASON = 500;
const PROGRESS_MS = 5_000;

interface SuspendOptions {
  reason: string;
  cancel?: true;
  links?: true;
}

export function addOrganizationCommands(program: Command, projectDirectory: string): void {
  const organization = program.command('org').description('organizations');
  organization
    .command('create')
    .description('create an organization; its API key is shown only once')
    .requiredOption('--name <name>', 'name of the organization')
    .option('--plan <plan>', 'plan, one of PLANS: limits its active campaigns and its budgets', 'free')
    .action(({ name, plan }: { name: string; plan: string }) =>
      printFromOrganizations(projectDirectory, (organizations) => organizations.create(name, plan)),
    );
  organization
    .command('list')
    .description('list all organizations, newest first')
    .action(() => printFromOrganizations(projectDirectory, (organizations) => organizations.list()));
  organization
    .command('suspend <id>')
    .description('suspend an organization within 5 seconds: its keys are refused and its queued mail waits')
    .requiredOption('--reason <text>', 'one sentence, which the organization sees')
    .option('--cancel', 'cancel its queued and scheduled mail and its broadcasts instead; they cannot be resumed')
    .option('--links', 'respond to clicks on its tracked links with a page, until it is resumed')
    .action((id: string, options: SuspendOptions) => suspend(projectDirectory, id, options));
  organization
    .command('resume [id]')
    .description('end a suspension, or a pause or slowdown because of bounces or complaints; links redirect again')
    .option('--org <id>', 'ID of the organization')
    .action((id: string | undefined, { org }: { org?: string }) =>
      resume(projectDirectory, namedOrganization(id, org)),
    );
  organization
    .command('usage <id>')
    .description('show what an organization has used of each budget, what its plan allows, and when it renews')
    .action((id: string) => printUsage(projectDirectory, id));
  organization
    .command('delete <id>')
    .description('delete an organization with all its data, for good')
    .option('--yes', 'do not ask for its name')
    .action((id: string, { yes }: { yes?: true }) => deleteOrganization(projectDirectory, id, yes === true));
  organization
    .command('set-plan')
    .description('change the plan of an organization')
    .requiredOption('--org <id>', 'ID of the organization')
    .requiredOption('--plan <plan>', 'name of the plan')
    .action(({ org, plan }: { org: string; plan: string }) =>
      printFromOrganizations(projectDirectory, async (organizations) => {
        await organizations.setPlan(org, plan);
        return { id: org, plan };
      }),
    );
}

async function suspend(projectDirectory: string, id: string, options: SuspendOptions): Promise<void> {
  const { cancel = false, links = false } = options;
  const reason = options.reason.trim();
  if (reason === '' || reason.length > MAX_REASON) {
    throw new InvalidFieldError('reason', `must have 1 to ${MAX_REASON} characters`);
  }
  const canceled = await withDatabase(projectDirectory, async (database) => {
    await database.transaction(async (sql) => {
      await lockKnownOrganization(sql, id);
      await suspendOrganization(sql, id, reason);
      if (cancel) await requestCancellation(sql, id);
      if (links) await blockLinks(sql, linksOf(id));
      await record(sql, id, 'organization.suspended', { reason, cancel, links });
    });
    return cancel ? cancelOrganizationMail(database, id, progressReport()) : undefined;
  });
  printJson({ id, suspended: true, reason, ...(links && { links: 'blocked' }), ...(canceled && { canceled }) });
}

/** Only in a terminal, on standard error, so that the output of the command stays JSON. */
function progressReport(): ((emails: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  process.stderr.write(
    'The organization is suspended. Canceling its mail; if this command is interrupted, workers finish it …\n',
  );
  let saidAt = performance.now();
  return (emails) => {
    if (performance.now() - saidAt < PROGRESS_MS) return;
    saidAt = performance.now();
    process.stderr.write(`${emails} emails canceled …\n`);
  };
}

/** Both ways to name the organization are accepted, but not for two organizations. @throws OperatorError */
function namedOrganization(id: string | undefined, option: string | undefined): string {
  if (id !== undefined && option !== undefined && id !== option)
    throw new OperatorError('Name the organization once: by its ID or by --org');
  return id ?? option ?? '';
}

async function resume(projectDirectory: string, id: string): Promise<void> {
  const result = await withDatabase(projectDirectory, (database) =>
    database.transaction(async (sql) => {
      // Its mail must not be sent once it is being deleted.
      await lockKnownOrganization(sql, id);
      const resumed = await resumeSending(sql, id);
      const unblocked = await unblockLinks(sql, linksOf(id));
      if (resumed || unblocked) await record(sql, id, 'organization.resumed', { links: unblocked });
      return { resumed, ...(unblocked && { links: 'unblocked' }) };
    }),
  );
  printJson({ id, ...result });
}

function linksOf(organizationId: string): LinkBlock {
  return { kind: 'organization', value: organizationId.toLowerCase() };
}

function record(sql: Sql, id: string, action: AuditAction, details: Readonly<Record<string, unknown>>): Promise<void> {
  return AuditLog.record(sql, { ...operatorOf(id), action, target: { kind: 'organization', id }, details });
}
