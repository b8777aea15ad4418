import type { Database } from '../../src/platform/database/database.js';

/** The definitions of the server, without those of single months, which follow from those of all events. */
export async function indexesAndKeys(database: Database): Promise<string[]> {
  const rows = await database.query<{ definition: string }>(
    `select concat_ws(' ', relation, name, definition) as definition from (
       select tablename::text as relation, indexname::text as name, indexdef as definition from pg_indexes
        where schemaname = current_schema()
       union all
       select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
        where connamespace = current_schema()::regnamespace and contype <> 'n'
     ) defined where relation !~ '^(delivery_)?events_[0-9]' order by 1`,
  );
  return rows.map(({ definition }) => definition);
}
