import { OperatorError } from '../errors/operator-error.js';
import type { Sql } from './database.js';
import { migrations } from './migrations.js';

/** Thrown instead of mixing our tables with those of another application. */
class OtherApplicationError extends OperatorError {
  constructor(table: string) {
    super(
      `The database of DATABASE_URL has tables, such as ${table}, but no migration of Mailbeacon: it belongs to another ` +
        'application, or a restore did not complete. Nothing was changed. Set DATABASE_URL to an empty database, or ' +
        'unset it if it was meant for another program.',
    );
  }
}

/**
 * Tables where ours would be, without those of extensions, and without a list of migrations that has no entry yet: the
 * first migration may have been interrupted.
 */
const ONE_TABLE = `
select relname as name from pg_class c
 where relkind in ('r', 'p', 'f') and relnamespace = current_schema()::regnamespace
   and ($1::boolean or relname <> 'migrations')
   and not exists (
     select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
 order by relname limit 1`;

/**
 * Refuses a database that has tables but none of our migrations. Many programs read DATABASE_URL, and a shell can have
 * that of another one.
 * @param applied names in the list of migrations
 * @throws OtherApplicationError
 */
export async function refuseOtherApplication(sql: Pick<Sql, 'query'>, applied: readonly string[]): Promise<void> {
  if (applied.some((name) => migrations.some((known) => known.name === name))) return;
  const [table] = await sql.query<{ name: string }>(ONE_TABLE, [applied.length > 0]);
  if (table) throw new OtherApplicationError(table.name);
}
