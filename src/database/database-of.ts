import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { Logger } from '../logging/logger.js';
import { Database } from './database.js';

/** The hot path on the pool that TypeORM opened: one pool, one limit. */
export function databaseOf(dataSource: DataSource, logger: Logger): Database {
  const pool = poolOf(dataSource);
  // A connection that dies while idle is replaced by the next query; without a listener it would end the process.
  pool.on('error', (error) => logger.warn({ err: error }, 'Lost an idle connection to Postgres'));
  return new Database(pool);
}

export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
