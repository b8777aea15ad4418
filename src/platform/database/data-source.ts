import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from './migrations.js';
import { connectionOptions } from './open-database.js';

/** Connection options of TypeORM, which runs the migrations. Code that only queries opens a pool without it. */
export function dataSourceOptions(url: string, poolSize: number): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    poolSize,
    extra: connectionOptions(),
    migrations,
    migrationsTableName: 'migrations',
    installExtensions: false,
    synchronize: false,
  };
}

export function createDataSource(url: string, poolSize = 4): DataSource {
  return new DataSource(dataSourceOptions(url, poolSize));
}

/** Returns the pool that TypeORM has opened. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
