import { Pool } from 'pg';
import { createDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { migrations } from '../../src/platform/database/migrations.js';
import { createEmptyDatabase, type TestDatabase } from './services.js';

/** A database with the schema before this migration. The caller must end its pool and drop it. */
export async function databaseBefore(
  migration: (typeof migrations)[number],
): Promise<{ testDatabase: TestDatabase; database: Database }> {
  const testDatabase = await createEmptyDatabase();
  await migrate(testDatabase.url);
  const dataSource = await createDataSource(testDatabase.url, 1).initialize();
  const undone = migrations.length - migrations.indexOf(migration);
  for (let n = 0; n < undone; n++) await dataSource.undoLastMigration({ transaction: 'none' });
  await dataSource.destroy();
  return { testDatabase, database: new Database(new Pool({ connectionString: testDatabase.url, max: 4 })) };
}
