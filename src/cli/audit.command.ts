import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { AuditEntries } from '../organizations/audit/audit-entries.js';
import { readAuditFilter } from '../organizations/audit/audit-filter.js';
import { AUDIT_TARGETS } from '../organizations/audit/audit-actions.js';
import { EXPORT_FORMATS, exportAudit, type ExportFormat } from '../organizations/audit/export-audit.js';
import { OrganizationNotFoundError } from '../organizations/organizations.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { printJson, withDatabase } from './command-context.js';
import { limitOption } from './limit-option.js';

interface AuditOptions {
  readonly org?: string;
  readonly limit: number;
  readonly export?: ExportFormat;
  readonly [filter: string]: unknown;
}

export function addAuditCommand(program: Command, projectDirectory: string): void {
  program
    .command('audit')
    .description('show who changed what, newest first')
    .option('--org <id>', 'only this organization')
    .option('--actor <actor>', 'only by key, user or operator, or by one of them: key:ID')
    .option('--action <action>', 'only this action, such as key.revoked')
    .option('--target <target>', `only this kind of item, or one: webhook:ID (${AUDIT_TARGETS.join(', ')})`)
    .option('--since <time>', 'only at or after this ISO 8601 time')
    .option('--until <time>', 'only before this ISO 8601 time')
    .addOption(limitOption())
    .addOption(new Option('--export <format>', 'print all of them as a file').choices(EXPORT_FORMATS))
    .action((options: AuditOptions) => show(projectDirectory, options));
}

async function show(projectDirectory: string, { org, limit, export: format, ...filters }: AuditOptions): Promise<void> {
  if (org !== undefined && !isUuid(org)) throw new InvalidFieldError('org', 'must be the ID of an organization');
  const filter = readAuditFilter(filters);
  await withDatabase(projectDirectory, async (database) => {
    const entries = new AuditEntries(database);
    if (org !== undefined && !(await entries.knowOrganization(org))) throw new OrganizationNotFoundError();
    if (format !== undefined) {
      await pipeline(Readable.from(exportAudit(format, entries.pages(org ?? null, filter))), process.stdout);
      return;
    }
    printJson((await entries.list(org ?? null, filter, { limit })).items);
  });
}
