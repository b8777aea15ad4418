import type { Pool, PoolClient, QueryResultRow } from 'pg';

/** Runs SQL: the pool itself, or one connection inside a transaction. */
export interface SqlRunner {
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement prepared under `name` once per connection. For hot paths. */
  prepared<Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]>;
}

/** The hot path to Postgres: plain statements on the pool that TypeORM opened for schema and migrations. */
export class Database implements SqlRunner {
  constructor(readonly pool: Pool) {}

  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return runnerOf(this.pool).query<Row>(sql, values);
  }

  prepared<Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    return runnerOf(this.pool).prepared<Row>(name, sql, values);
  }

  /** Commits what `work` did, or rolls all of it back when it throws. */
  async transaction<Result>(work: (sql: SqlRunner) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(runnerOf(client));
      await client.query('commit');
      return result;
    } catch (error) {
      // A connection that cannot even roll back must not return to the pool.
      await client.query('rollback').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

function runnerOf(connection: Pool | PoolClient): SqlRunner {
  return {
    query: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      (await connection.query<Row>(sql, values as unknown[])).rows,
    prepared: async <Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]) =>
      (await connection.query<Row>({ name, text: sql, values: values as unknown[] })).rows,
  };
}
