import { OperatorError } from '../errors/operator-error.js';
import type { Sql } from './database.js';
import { refuseOtherApplication } from './other-application.js';
import { migrations } from './migrations.js';

/** Thrown when the database schema and this build are incompatible. */
class SchemaMismatchError extends OperatorError {}

/**
 * Name prefix of migrations that are incompatible with older builds. Older builds see only the name, so the flag must
 * be part of it.
 */
const BREAKING = 'Breaking';

/**
 * Accepts a schema that is newer than this build, which is normal during a rolling upgrade.
 * @throws SchemaMismatchError when a migration of this build is missing, or a newer one is incompatible with this build
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

/**
 * Whether this build may migrate the database.
 * @throws SchemaMismatchError when the schema has newer migrations that are incompatible with this build
 * @throws OtherApplicationError
 */
export async function refuseBrokenSchema(sql: Pick<Sql, 'query'>): Promise<void> {
  const applied = await appliedMigrations(sql);
  refuseBreakingMigrations(applied);
  await refuseOtherApplication(sql, applied);
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
  // Other applications have a table of this name with other columns.
  const columns = await sql.query(
    `select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'name' and not attisdropped`,
  );
  if (columns.length === 0) return [];
  const rows = await sql.query<{ name: string }>('select name from migrations order by id');
  return rows.map((row) => row.name);
}
