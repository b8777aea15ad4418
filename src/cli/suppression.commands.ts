import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { operatorOf } from '../organizations/audit/record-audit.js';
import { requireOrganization } from '../organizations/organizations.js';
import type { Database } from '../platform/database/database.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { exportSuppressions } from '../suppressions/export-suppressions.js';
import { importSuppressions } from '../suppressions/import-suppressions.js';
import { readAddedSuppressions, readSuppressionFilter } from '../suppressions/suppression-requests.js';
import { Suppressions } from '../suppressions/suppressions.js';
import { printJson, withDatabase } from './command-context.js';
import { limitOption } from './limit-option.js';

interface ListOptions {
  org: string;
  search?: string;
  reason?: string;
  limit: number;
}

type Work = (database: Database, organizationId: string) => Promise<void>;

export function addSuppressionCommands(program: Command, projectDirectory: string): void {
  const suppressions = program.command('suppressions').description('addresses that an organization must not write to');
  const command = (name: string, description: string): Command =>
    suppressions.command(name).description(description).requiredOption('--org <id>', 'ID of the organization');
  const run = (org: string, work: Work): Promise<void> =>
    withDatabase(projectDirectory, async (database) => {
      // One that is unknown would otherwise have an empty list, or fail at its first row.
      await requireOrganization(database, org);
      await work(database, org);
    });

  command('list', 'list entries, newest first')
    .option('--search <text>', 'part of the address')
    .option('--reason <reason>', 'only entries that show this reason')
    .addOption(limitOption())
    .action((options: ListOptions) => run(options.org, (database, id) => list(database, id, options)));
  command('add', 'suppress addresses with the reason manual')
    .argument('<addresses...>', 'addresses')
    .option('--note <text>', 'a note for each of them')
    .action((addresses: string[], { org, note }: { org: string; note?: string }) =>
      run(org, async (database, id) => {
        const added = readAddedSuppressions({ addresses, ...(note !== undefined && { note }) });
        printJson(await new Suppressions(database).add(operatorOf(id), added));
      }),
    );
  command('remove', 'allow mail to an address again')
    .argument('<address>', 'the address')
    .action((address: string, { org }: { org: string }) =>
      run(org, async (database, id) => {
        await new Suppressions(database).remove(operatorOf(id), address);
        printJson({ address, removed: true });
      }),
    );
  command('import', 'add the rows of a CSV file with the columns address, reason and note')
    .argument('[file]', 'the file; standard input by default')
    .action((file: string | undefined, { org }: { org: string }) =>
      run(org, async (database, id) => {
        const input: AsyncIterable<Uint8Array> =
          file === undefined ? (process.stdin as AsyncIterable<Uint8Array>) : contentOf(file);
        printJson(await importSuppressions(database, operatorOf(id), input));
      }),
    );
  command('export', 'print the whole list as CSV').action(({ org }: { org: string }) =>
    run(org, (database, id) => pipeline(Readable.from(exportSuppressions(database, id)), process.stdout)),
  );
}

/** @throws OperatorError when the file cannot be read */
async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Uint8Array;
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function list(database: Database, organizationId: string, { search, reason, limit }: ListOptions): Promise<void> {
  const filter = readSuppressionFilter({ search, reason });
  const { items } = await new Suppressions(database).list(organizationId, filter, { limit });
  printJson(items);
}
