import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from './migrations.js';

/** How long a process that serves others waits for Postgres, in milliseconds. */
export interface Patience {
  /** For a connection, free or new. */
  readonly connectMs: number;
  /** For a statement, by the server's own clock; a server that says nothing at all is given up a second later. */
  readonly statementMs: number;
}

/**
 * How TypeORM reaches Postgres; `poolSize` bounds the connections of this process.
 * @param patience undefined for work that may take as long as it takes, such as migrations
 */
export function dataSourceOptions(url: string, poolSize: number, patience?: Patience): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'mailbeacon',
    poolSize,
    connectTimeoutMS: patience?.connectMs ?? 5_000,
    // A peer that vanished without a word must not hold connections for a quarter of an hour.
    extra: {
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...(patience && { statement_timeout: patience.statementMs, query_timeout: patience.statementMs + 1_000 }),
    },
    migrations,
    migrationsTableName: 'migrations',
    installExtensions: false,
    synchronize: false,
  };
}

export function createDataSource(url: string, poolSize = 4, patience?: Patience): DataSource {
  return new DataSource(dataSourceOptions(url, poolSize, patience));
}
