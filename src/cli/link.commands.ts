import type { Command } from 'commander';
import { parse } from 'tldts';
import { blockLinks, listBlockedLinks, unblockLinks, type LinkBlock } from '../links/blocking/blocked-links.js';
import { readHostName } from '../links/blocking/host-name.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
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
  selecting('block', 'respond to clicks on these links with a page, everywhere within 5 seconds').action((selection) =>
    change(projectDirectory, selection as Selection, 'links.blocked'),
  );
  selecting('unblock', 'let these links redirect again').action((selection) =>
    change(projectDirectory, selection as Selection, 'links.unblocked'),
  );
  links
    .command('list')
    .description('list blocked links, newest first')
    .action(async () => printJson(await withDatabase(projectDirectory, listBlockedLinks)));
}

async function change(
  projectDirectory: string,
  selection: Selection,
  action: 'links.blocked' | 'links.unblocked',
): Promise<void> {
  const isBlock = action === 'links.blocked';
  const result = await withDatabase(projectDirectory, async (database) => {
    const { block, organizationId } = await readSelection(database, selection);
    const { kind, value } = block;
    // One that an earlier version blocked can still be unblocked.
    if (isBlock && kind === 'host') refusePublicSuffix(value);
    const changed = await database.transaction(async (sql) => {
      const isNew = await (isBlock ? blockLinks(sql, block) : unblockLinks(sql, block));
      // The mistyped name of a blocked one would leave it blocked.
      if (!isNew && !isBlock)
        throw new OperatorError(`The ${kind} ${value} is not blocked: \`links list\` shows what is`);
      const target = { kind, id: value };
      if (isNew) await AuditLog.record(sql, { ...operatorOf(organizationId), action, target });
      return isNew;
    });
    return { kind, value, blocked: isBlock, changed };
  });
  printJson(result);
}

interface SelectedLinks {
  readonly block: LinkBlock;
  /** Null for a host. */
  readonly organizationId: string | null;
}

async function readSelection(database: Database, { host, email, org }: Selection): Promise<SelectedLinks> {
  if ([host, email, org].filter((value) => value !== undefined).length !== 1) {
    throw new OperatorError('Name one of --host, --email and --org');
  }
  if (host !== undefined) return { block: { kind: 'host', value: readHost(host) }, organizationId: null };
  if (email !== undefined) return findEmail(database, email);
  await requireOrganization(database, org!);
  return { block: { kind: 'organization', value: org!.toLowerCase() }, organizationId: org!.toLowerCase() };
}

function readHost(text: string): string {
  const host = readHostName(text);
  if (host === undefined)
    throw new InvalidFieldError('host', 'must be a host such as evil.example, without a path or port');
  return host;
}

/** A mistyped host would block the links of everybody whose names end with it. */
function refusePublicSuffix(host: string): void {
  const { isIcann, publicSuffix } = parse(host);
  if (isIcann === true && publicSuffix === host)
    throw new InvalidFieldError('host', `must be more than ${host}, under which anyone can register a name`);
}

async function findEmail(database: Database, id: string): Promise<SelectedLinks> {
  const column = isUuid(id) ? 'id' : 'tracking_id';
  const [email] = await database.query<{ tracking_id: string; organization_id: string }>(
    `select tracking_id, organization_id from emails where ${column} = $1`,
    [id],
  );
  if (!email) throw new InvalidFieldError('email', 'must be the ID or tracking ID of an email');
  return { block: { kind: 'email', value: email.tracking_id }, organizationId: email.organization_id };
}
