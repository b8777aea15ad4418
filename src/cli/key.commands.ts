import type { Command } from 'commander';
import { printFromOrganizations } from './command-context.js';

interface KeyOptions {
  org: string;
  name?: string;
  key: string;
}

export function addKeyCommands(program: Command, projectDirectory: string): void {
  const key = program.command('key').description('API keys');
  key
    .command('create')
    .description('create a key; it is shown only once')
    .requiredOption('--org <id>', 'ID of the organization')
    .option('--name <name>', 'purpose of the key')
    .action(({ org, name }: KeyOptions) =>
      printFromOrganizations(projectDirectory, (organizations) => organizations.createKey(org, name ?? null)),
    );
  key
    .command('list')
    .description("list an organization's keys, newest first")
    .requiredOption('--org <id>', 'ID of the organization')
    .action(({ org }: KeyOptions) =>
      printFromOrganizations(projectDirectory, (organizations) => organizations.listKeys(org)),
    );
  key
    .command('revoke')
    .description('revoke a key in all processes within seconds')
    .requiredOption('--org <id>', 'ID of the organization')
    .requiredOption('--key <id>', 'ID of the key: the part between mb_ and the secret')
    .action(({ org, key: id }: KeyOptions) =>
      printFromOrganizations(projectDirectory, async (organizations) => {
        await organizations.revokeKey(org, id);
        return { id, revoked: true };
      }),
    );
}
