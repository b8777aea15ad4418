import type { Command } from 'commander';
import { systemClock } from '../../platform/clock/clock.js';
import { readEnvironment } from '../../platform/config/environment.js';
import { InvalidSettingsError } from '../../platform/config/settings.js';
import { Organizations } from '../../organizations/organizations.js';
import { Plans } from '../../organizations/plans.js';
import { printJson, withDatabase } from '../command-context.js';
import { ProgressBar } from './progress-bar.js';
import { seed } from './seed.js';
import { readSizes } from './seed-sizes.js';

type SeedOptions = Readonly<Record<string, string | undefined>> & { yes?: never };

export function addSeedCommand(program: Command, projectDirectory: string): void {
  program
    .command('seed')
    .description(
      'create an organization with a large amount of data for load tests; empty tables stay locked until it ends',
    )
    .option('--scale <factor>', 'factor for all sizes except the number of campaigns; 0.001 takes seconds', '1')
    .option('--campaigns <number>', 'campaigns (1,000)')
    .option('--emails <number>', 'emails of the big campaign (1,000,000)')
    .option('--contacts <number>', 'contacts (1,000,000)')
    .option('--regular-emails <number>', 'emails of the other campaigns, all to one contact (100,000)')
    .option('--events <number>', 'events (10,000,000)')
    .option('--plan <plan>', 'plan of the organization', 'unlimited')
    .option('--yes', 'also fill a database configured with DATABASE_URL')
    .action((options: SeedOptions) => runSeed(projectDirectory, options));
}

async function runSeed(projectDirectory: string, options: SeedOptions): Promise<void> {
  const sizes = readSizes(options);
  requireConsent(projectDirectory, options);
  const startedAt = Date.now();
  const result = await withDatabase(projectDirectory, async (database, settings) => {
    const organizations = new Organizations(database, new Plans(settings), systemClock);
    const organization = await organizations.create('Seeded', options.plan!);
    const bar = new ProgressBar(process.stderr);
    const now = new Date(systemClock.now());
    const seeded = await seed(database, organization.id, sizes, now, (step, done, total) =>
      bar.show(step, done, total),
    );
    return { organizationId: organization.id, apiKey: organization.apiKey, ...seeded, sizes };
  });
  printJson({ ...result, seconds: Math.round((Date.now() - startedAt) / 1000) });
}

/** Filling a real database with gigabytes of data requires explicit consent. */
function requireConsent(projectDirectory: string, options: SeedOptions): void {
  if ('yes' in options || !readEnvironment(projectDirectory).DATABASE_URL) return;
  throw new InvalidSettingsError([
    'DATABASE_URL names a database other than the embedded one: add --yes to fill it with up to ten gigabytes',
  ]);
}
