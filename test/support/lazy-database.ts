import { Pool, type ClientBase } from 'pg';
import { Database } from '../../src/platform/database/database.js';
import { connectionOptions, sessionSettings, type Pooling } from '../../src/platform/database/open-database.js';

/**
 * A database with the settings of the product's connections, which connects when it is used. `openDatabase` opens two
 * connections at once to recognize a pooler, and each costs Postgres and the test as much processor time as dozens of
 * statements. The caller must end its pool.
 */
export function lazyDatabase(url: string, connections: number, pooling: Pooling = 'session'): Database {
  const pool = new Pool({
    ...connectionOptions(),
    connectionString: url,
    max: connections,
    ...(pooling === 'session' && {
      onConnect: async (client: ClientBase) => void (await client.query(sessionSettings('set'))),
    }),
  });
  // A test that stops Postgres ends idle connections.
  pool.on('error', () => undefined);
  return new Database(pool, pooling === 'transaction' ? sessionSettings('set local') : undefined);
}
