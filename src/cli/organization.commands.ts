import type { Command } from 'commander';
import { requireOrganization } from '../organizations/organizations.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { resumeSending, suspendOrganization } from '../organizations/guard/guard-change.js';
import { printUsage } from './organization-usage.js';
import { printFromOrganizations, printJson, withDatabase } from './command-context.js';

const MAX_REASON = 500;

export function addOrganizationCommands(program: Command, projectDirectory: string): void {
  const organization = program.command('org').description('organizations');
  organization
    .command('create')
    .description('create an organization; its API key is shown only once')
    .requiredOption('--name <name>', 'name of the organization')
    .option('--plan <plan>', 'plan that limits its active campaigns', 'free')
    .action(({ name, plan }: { name: string; plan: string }) =>
      printFromOrganizations(projectDirectory, (organizations) => organizations.create(name, plan)),
    );
  organization
    .command('list')
    .description('list all organizations, newest first')
    .action(() => printFromOrganizations(projectDirectory, (organizations) => organizations.list()));
  organization
    .command('suspend <id>')
    .description('stop an organization within 5 seconds: its keys are refused and its queued mail waits')
    .requiredOption('--reason <text>', 'one sentence, which the organization sees')
    .action((id: string, { reason }: { reason: string }) => suspend(projectDirectory, id, reason));
  organization
    .command('resume [id]')
    .description('end a suspension, or a pause or slowdown because of bounces or complaints; counts start anew')
    .option('--org <id>', 'ID of the organization')
    .action((id: string | undefined, { org }: { org?: string }) => resume(projectDirectory, id ?? org ?? ''));
  organization
    .command('usage <id>')
    .description('show what an organization has used of each budget, what its plan allows, and when it renews')
    .action((id: string) => printUsage(projectDirectory, id));
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

async function suspend(projectDirectory: string, id: string, text: string): Promise<void> {
  const reason = text.trim();
  if (reason === '' || reason.length > MAX_REASON) {
    throw new InvalidFieldError('reason', `must have 1 to ${MAX_REASON} characters`);
  }
  await withDatabase(projectDirectory, async (database) => {
    await requireOrganization(database, id);
    await suspendOrganization(database, id, reason);
  });
  printJson({ id, suspended: true, reason });
}

async function resume(projectDirectory: string, id: string): Promise<void> {
  const resumed = await withDatabase(projectDirectory, async (database) => {
    await requireOrganization(database, id);
    return resumeSending(database, id);
  });
  printJson({ id, resumed });
}
