import { OperatorError } from '../errors/operator-error.js';
import type { Sql } from './database.js';
import { migrations } from './migrations.js';

/** Thrown when the database and this build do not belong together. */
class SchemaMismatchError extends OperatorError {}

/**
 * How the name of a migration begins that builds from before it cannot work with. It is all that they know of it: what
 * a name does not say, a build that is older than the migration could not read anywhere.
 */
const BREAKING = 'Breaking';

/**
 * A schema may be newer than this build, as while hosts are upgraded one by one.
 * @throws SchemaMismatchError when it lacks what this build needs, or has changed what this build uses
 */
export async function checkSchema(sql: Pick<Sql, 'query'>): Promise<void> {
  const applied = await appliedMigrations(sql);
  const missing = migrations.filter((migration) => !applied.includes(migration.name));
  if (missing.length > 0) {
    throw new SchemaMismatchError(
      `The database schema is older than this build: ${missing.length} migration(s) missing. Run: npm run cli -- migrate`,
    );
  }
  refuseBreakingMigrations(applied);
}

/** @throws SchemaMismatchError when the schema has migrations that a build as old as this cannot work with */
export async function refuseBrokenSchema(sql: Pick<Sql, 'query'>): Promise<void> {
  refuseBreakingMigrations(await appliedMigrations(sql));
}

function refuseBreakingMigrations(applied: readonly string[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const breaking = applied.filter((name) => !known.has(name) && name.startsWith(BREAKING));
  if (breaking.length > 0) {
    throw new SchemaMismatchError(
      `The database schema is too new for this build (migration ${breaking.join(', ')}). Start a newer build.`,
    );
  }
}

async function appliedMigrations(sql: Pick<Sql, 'query'>): Promise<string[]> {
  const [table] = await sql.query<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`);
  if (!table?.exists) return [];
  const rows = await sql.query<{ name: string }>('select name from migrations order by id');
  return rows.map((row) => row.name);
}
