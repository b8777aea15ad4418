import type { Command } from 'commander';
import { ApiKeys } from '../organizations/api-keys.js';
import { operatorOf } from '../organizations/audit/record-audit.js';
import { NO_LIMITS } from '../organizations/key-limits.js';
import { readNewKey } from '../organizations/key-requests.js';
import { KEY_SCOPES, type KeyScope } from '../organizations/key-scopes.js';
import { requireOrganization } from '../organizations/organizations.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { readTime } from '../platform/http/time-parameter.js';
import { printJson, withDatabase } from './command-context.js';

interface CreateOptions {
  org: string;
  name?: string;
  scope?: string[];
  expires?: string;
  domain?: string[];
  address?: string[];
}

export function addKeyCommands(program: Command, projectDirectory: string): void {
  const key = program.command('key').description('API keys');
  key
    .command('create')
    .description('create a key; it is shown only once')
    .requiredOption('--org <id>', 'ID of the organization')
    .option('--name <name>', 'purpose of the key')
    .option('--scope <scope...>', `what it may do: ${KEY_SCOPES.join(', ')}; all by default`)
    .option('--expires <time>', 'ISO 8601 time with a zone, or date in UTC, from which it no longer works')
    .option('--domain <domain...>', 'domains that senders may have, with their subdomains')
    .option('--address <cidr...>', 'networks of clients')
    .action((options: CreateOptions) =>
      printFromKeys(projectDirectory, options.org, (keys) =>
        keys.create(operatorOf(options.org), readNewKey(requestOf(options), NO_LIMITS, Date.now())),
      ),
    );
  key
    .command('list')
    .description("list an organization's keys, newest first")
    .requiredOption('--org <id>', 'ID of the organization')
    .action(({ org }: { org: string }) => printFromKeys(projectDirectory, org, (keys) => keys.listAll(org)));
  key
    .command('revoke')
    .description('revoke a key in all processes within seconds')
    .requiredOption('--org <id>', 'ID of the organization')
    .requiredOption('--key <id>', 'ID of the key: the part between mb_ and the secret')
    .action(({ org, key: id }: { org: string; key: string }) =>
      printFromKeys(projectDirectory, org, async (keys) => {
        await keys.revoke(operatorOf(org), id);
        return { id, revoked: true };
      }),
    );
}

function requestOf({ name, scope, expires, domain, address }: CreateOptions): Parameters<typeof readNewKey>[0] {
  const unknown = scope?.find((text) => !KEY_SCOPES.some((known) => known === text));
  if (unknown !== undefined) throw new InvalidFieldError('scope', `must be one of ${KEY_SCOPES.join(', ')}`);
  return {
    ...(name !== undefined && { name }),
    ...(scope && { scopes: scope as KeyScope[] }),
    ...(expires !== undefined && { expiresAt: new Date(readTime('expires', expires)).toISOString() }),
    ...(domain && { allowedDomains: domain }),
    ...(address && { allowedAddresses: address }),
  };
}

async function printFromKeys(
  projectDirectory: string,
  organizationId: string,
  work: (keys: ApiKeys) => Promise<unknown>,
): Promise<void> {
  const result = await withDatabase(projectDirectory, async (database) => {
    await requireOrganization(database, organizationId);
    return work(new ApiKeys(database));
  });
  printJson(result);
}
