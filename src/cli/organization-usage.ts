import { budgetLimit } from '../organizations/budgets/budget.js';
import { readUsage } from '../organizations/budgets/usage.js';
import { requireOrganization } from '../organizations/organizations.js';
import { systemClock } from '../platform/clock/clock.js';
import { printJson, withDatabase } from './command-context.js';

/** Prints what an organization has used of each budget. */
export async function printUsage(projectDirectory: string, id: string): Promise<void> {
  const usage = await withDatabase(projectDirectory, async (database, settings) => {
    await requireOrganization(database, id);
    const [row] = await database.query<{ plan: string }>('select plan from organizations where id = $1', [id]);
    const { plan } = row!;
    const owner = { organizationId: id, plan };
    return readUsage(database, owner, (budget) => budgetLimit(settings, plan, budget), systemClock.now());
  });
  printJson({ id, ...usage });
}
