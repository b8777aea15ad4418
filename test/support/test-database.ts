import type { Database } from '../../src/platform/database/database.js';
import { lazyDatabase } from './lazy-database.js';
import { createTestDatabase } from './services.js';

/** A migrated database for one test, opened with the settings of the product's own connections. */
export interface OpenTestDatabase {
  readonly database: Database;
  readonly url: string;
  close(): Promise<void>;
}

export async function openTestDatabase(connections = 4): Promise<OpenTestDatabase> {
  const { url, discard } = await createTestDatabase();
  const database = lazyDatabase(url, connections);
  const close = async (): Promise<void> => {
    await database.pool.end();
    discard();
  };
  return { database, url, close };
}
