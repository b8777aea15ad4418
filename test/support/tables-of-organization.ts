import type { Sql } from '../../src/platform/database/database.js';

/** Columns that link a row to an organization without a foreign key. */
const LOOSE = ['organization_id', 'email_id', 'contact_id', 'campaign_id', 'user_id', 'erasure_id', 'broadcast_id'];

/**
 * Every table whose rows belong to an organization, according to the schema: through such a column, or through a
 * foreign key to a table that belongs to one. A partition counts as its table.
 */
export async function tablesOfOrganization(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `with recursive tables as (
       select oid, relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
     ), belonging (oid) as (
       select oid from tables where relname = 'organizations'
       union
       select attrelid from pg_attribute join tables on tables.oid = attrelid where attname = any($1::text[])
       union
       select c.conrelid from pg_constraint c join belonging on belonging.oid = c.confrelid where c.contype = 'f'
     )
     select relname as name from tables join belonging using (oid) order by relname`,
    [LOOSE],
  );
  return rows.map(({ name }) => name);
}

/** Number of rows in each table. */
export async function countRows(sql: Sql, tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql.query<{ count: number }>(`select count(*)::integer as count from ${table}`);
    counts[table] = row!.count;
  }
  return counts;
}
