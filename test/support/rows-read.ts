import type { Database } from '../../src/platform/database/database.js';

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Runs a statement and returns how many rows of the table its plan read. */
export async function rowsRead(
  database: Database,
  table: string,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  const [explained] = await database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) ${statement}`,
    values,
  );
  return rowsOfPlan(explained!['QUERY PLAN'][0].Plan, table);
}

function rowsOfPlan(plan: Plan, table: string): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  const isScan = plan['Relation Name'] === table;
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOfPlan(part, table), isScan ? own : 0);
}
