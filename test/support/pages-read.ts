import type { Database, Sql } from '../../src/platform/database/database.js';

interface PlanRow extends Record<string, unknown> {
  readonly 'QUERY PLAN': [{ readonly Plan: Record<string, number> }];
}

/** Runs a statement. @returns how many pages Postgres read for it */
export async function pagesRead(sql: Sql, statement: string, values: readonly unknown[]): Promise<number> {
  const [row] = await sql.query<PlanRow>(`explain (analyze, buffers, timing off, format json) ${statement}`, values);
  const { Plan: plan } = row!['QUERY PLAN'][0];
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
}

/** The database; its queries add to `pages` how many pages they read. */
export function countingPages(database: Database, pages: number[]): Database {
  const query = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    pages.push(await pagesRead(database, text, values));
    return database.query<Row>(text, values);
  };
  return Object.assign(Object.create(database) as Database, { query });
}
