import type { Command } from 'commander';
import { requireOrganization } from '../organizations/organizations.js';
import { resumeSending } from '../organizations/guard/guard-change.js';
import { printFromOrganizations, printJson, withDatabase } from './command-context.js';

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
    .command('resume')
    .description('end a pause or slowdown because of bounces or complaints; counts start anew')
    .requiredOption('--org <id>', 'ID of the organization')
    .action(({ org }: { org: string }) => resume(projectDirectory, org));
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

async function resume(projectDirectory: string, id: string): Promise<void> {
  const resumed = await withDatabase(projectDirectory, async (database) => {
    await requireOrganization(database, id);
    return resumeSending(database, id);
  });
  printJson({ id, resumed });
}
