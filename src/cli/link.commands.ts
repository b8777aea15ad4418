import type { Command } from 'commander';
import { isEmailTrackingId } from '../links/email-tracking-id.js';
import { blockLinks, listBlockedLinks, unblockLinks, type LinkBlock } from '../links/blocking/blocked-links.js';
import { readHostName } from '../links/blocking/host-name.js';
import { loadSigningKeys } from '../links/signing-key-store.js';
import { requireOrganization } from '../organizations/organizations.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import type { Database } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { printJson, withDatabase } from './command-context.js';

interface Selection {
  host?: string;
  email?: string;
  org?: string;
}

export function addLinkCommands(program: Command, projectDirectory: string): void {
  const links = program.command('links').description('the deny list for tracked links');
  const selecting = (name: string, description: string): Command =>
    links
      .command(name)
      .description(description)
      .option('--host <host>', 'links to this host and its subdomains')
      .option('--email <id>', 'links of this email: its ID or tracking ID')
      .option('--org <id>', 'all links of this organization');
  selecting('block', 'answer clicks on these links with a page, everywhere within 5 seconds').action(
    async (selection: Selection) => {
      const block = await withDatabase(projectDirectory, async (database) => {
        const found = await readSelection(database, selection);
        if (found.kind === 'organization') await requireOrganization(database, found.value);
        await blockLinks(database, found);
        return found;
      });
      printJson({ ...block, blocked: true });
    },
  );
  selecting('unblock', 'let these links redirect again').action(async (selection: Selection) => {
    const [block, unblocked] = await withDatabase(projectDirectory, async (database) => {
      const found = await readSelection(database, selection);
      return [found, await unblockLinks(database, found)] as const;
    });
    printJson({ ...block, unblocked });
  });
  links
    .command('list')
    .description('what is blocked, newest first')
    .action(async () => printJson(await withDatabase(projectDirectory, listBlockedLinks)));
}

async function readSelection(database: Database, { host, email, org }: Selection): Promise<LinkBlock> {
  if ([host, email, org].filter((value) => value !== undefined).length !== 1) {
    throw new OperatorError('Name one of --host, --email and --org');
  }
  if (host !== undefined) return { kind: 'host', value: readHost(host) };
  if (email !== undefined) return { kind: 'email', value: await trackingIdOf(database, email) };
  if (!isUuid(org!)) throw new InvalidFieldError('org', 'must be the ID of an organization');
  return { kind: 'organization', value: org!.toLowerCase() };
}

function readHost(text: string): string {
  const host = readHostName(text);
  if (host === undefined)
    throw new InvalidFieldError('host', 'must be a host such as evil.example, without a path or port');
  return host;
}

async function trackingIdOf(database: Database, id: string): Promise<string> {
  if (isUuid(id)) {
    const [email] = await database.query<{ tracking_id: string }>('select tracking_id from emails where id = $1', [id]);
    if (email) return email.tracking_id;
  } else if (isEmailTrackingId(await loadSigningKeys(database), id)) return id;
  throw new InvalidFieldError('email', 'must be the ID or tracking ID of an email');
}
