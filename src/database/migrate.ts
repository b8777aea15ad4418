import type { DataSource } from 'typeorm';
import { createDataSource, poolOf } from './data-source.js';
import { Database } from './database.js';
import { DatabaseUnreachableError } from './open-database.js';
import { refuseBrokenSchema } from './schema-check.js';

/** One lock for all processes that start at once; the number is arbitrary but must never change. */
const MIGRATION_LOCK = 7_219_533_004;

/**
 * Brings the schema to this build's version, or leaves it at a newer one. Safe to run from several processes at once.
 * @throws DatabaseUnreachableError
 * @throws SchemaMismatchError when the schema is too new for this build
 */
export async function migrate(url: string): Promise<void> {
  const dataSource = await openDataSource(url);
  try {
    await withMigrationLock(dataSource, async () => {
      await refuseBrokenSchema(new Database(poolOf(dataSource)));
      await dataSource.runMigrations({ transaction: 'each' });
    });
  } finally {
    await dataSource.destroy();
  }
}

async function openDataSource(url: string): Promise<DataSource> {
  try {
    return await createDataSource(url).initialize();
  } catch (error) {
    throw new DatabaseUnreachableError(error);
  }
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
