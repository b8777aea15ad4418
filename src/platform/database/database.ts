import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { CopyIn } from './copy-in.js';

/** Runs SQL: the pool itself, or one connection inside a transaction. */
export interface Sql {
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement prepared under `name` once per connection. For hot paths. */
  prepared<Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]>;
}

/** One connection inside a transaction. */
export interface Transaction extends Sql {
  /**
   * Runs a `COPY … FROM STDIN`. For thousands of rows at once.
   * @param rows in the format that the statement names, in pieces of any length
   */
  copyIn(statement: string, rows: Iterable<Buffer>): Promise<void>;
}

/** The way to Postgres: plain statements on a pool of connections. */
export class Database implements Sql {
  /**
   * @param localSettings what each transaction sets for itself, where a pooler gives each another session: every
   *   statement is a transaction of its own then, and none is prepared, as the next session would not know it
   */
  constructor(
    readonly pool: Pool,
    private readonly localSettings?: string,
  ) {}

  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.localSettings !== undefined) return this.transaction((runner) => runner.query<Row>(sql, values));
    return runnerOf(this.pool).query<Row>(sql, values);
  }

  prepared<Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    if (this.localSettings !== undefined) return this.query<Row>(sql, values);
    return runnerOf(this.pool).prepared<Row>(name, sql, values);
  }

  /** Commits what `work` did, or rolls all of it back when it throws. */
  transaction<Result>(work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    return this.between('begin', work);
  }

  /** Reads with several statements what was true at one moment, so that their results fit together. */
  snapshot<Result>(read: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.between('begin isolation level repeatable read read only', read);
  }

  private async between<Result>(begin: string, work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    // A connection that dies between two statements tells nobody but this listener; without one it ends the process.
    const onLost = (error: Error): void => void (broken = error);
    client.on('error', onLost);
    try {
      await client.query(this.localSettings === undefined ? begin : `${begin}; ${this.localSettings}`);
      const result = await work(this.transactionOn(client));
      await client.query('commit');
      return result;
    } catch (error) {
      // A connection that cannot even roll back, hangs, or leads to a server of yesterday must not return to the pool.
      if (isReadTimeout(error) || endsConnection(error)) broken = error;
      else await client.query('rollback').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.removeListener('error', onLost);
      client.release(broken);
    }
  }

  private transactionOn(client: PoolClient): Transaction {
    const { query, prepared } = runnerOf(client);
    return {
      query,
      prepared: this.localSettings === undefined ? prepared : (_name, sql, values) => query(sql, values),
      copyIn: (statement, rows) => copyIn(client, statement, rows),
    };
  }
}

/**
 * Refused by a server that only reads, as one that was primary until a failover, or that shuts down (SQLSTATE 25006,
 * 57P01 to 57P05). It may answer for as long as it is asked, while a new connection reaches its successor.
 */
function endsConnection(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(25006|57P0.)$/.test(String(error.code));
}

/** Thrown by the driver when a server says nothing in time; what is asked on that connection next waits behind it. */
function isReadTimeout(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

function runnerOf(connection: Pool | PoolClient): Sql {
  return {
    query: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      (await connection.query<Row>(sql, values as unknown[])).rows,
    prepared: async <Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]) =>
      (await connection.query<Row>({ name, text: sql, values: values as unknown[] })).rows,
  };
}

function copyIn(client: PoolClient, statement: string, rows: Iterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(statement, rows, (error) => (error ? reject(error) : resolve())));
  });
}
