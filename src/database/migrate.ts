import type { DataSource } from 'typeorm';
import { OperatorError } from '../errors/operator-error.js';
import { migrations } from './migrations.js';
import { openDataSource } from './open-database.js';

/** One lock for all processes that start at once; the number is arbitrary but must never change. */
const MIGRATION_LOCK = 7_219_533_004;

/** Brings the schema to this build's version. Safe to run from several processes at once. */
export async function migrate(url: string): Promise<void> {
  const dataSource = await openDataSource(url);
  try {
    await withMigrationLock(dataSource, async () => {
      refuseNewerSchema(await appliedMigrations(dataSource));
      await dataSource.runMigrations({ transaction: 'each' });
    });
  } finally {
    await dataSource.destroy();
  }
}

/** Thrown when the database and this build do not belong together. */
export class SchemaMismatchError extends OperatorError {}

/** @throws SchemaMismatchError when the schema is older or newer than this build. */
export async function checkSchema(dataSource: DataSource): Promise<void> {
  const applied = await appliedMigrations(dataSource);
  refuseNewerSchema(applied);
  const missing = migrations.filter((migration) => !applied.includes(migration.name));
  if (missing.length > 0) {
    throw new SchemaMismatchError(
      `The database schema is older than this build: ${missing.length} migration(s) missing. Run: npm run cli -- migrate`,
    );
  }
}

function refuseNewerSchema(applied: string[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new SchemaMismatchError(
      `The database schema is newer than this build (unknown migration ${unknown.join(', ')}). Start a newer build.`,
    );
  }
}

async function appliedMigrations(dataSource: DataSource): Promise<string[]> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    `select to_regclass('migrations') is not null as exists`,
  );
  if (!table?.exists) return [];
  const rows = await dataSource.query<{ name: string }[]>('select name from migrations order by id');
  return rows.map((row) => row.name);
}

async function withMigrationLock(dataSource: DataSource, work: () => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await work();
  } finally {
    await runner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.release();
  }
}
