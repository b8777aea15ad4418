import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from './migrations.js';

/** How TypeORM reaches Postgres; `poolSize` bounds the connections of this process. */
export function dataSourceOptions(url: string, poolSize: number): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'mailbeacon',
    poolSize,
    connectTimeoutMS: 5_000,
    // A peer that vanished without a word must not hold connections for a quarter of an hour.
    extra: { keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    migrations,
    migrationsTableName: 'migrations',
    installExtensions: false,
    synchronize: false,
  };
}

export function createDataSource(url: string, poolSize = 4): DataSource {
  return new DataSource(dataSourceOptions(url, poolSize));
}
