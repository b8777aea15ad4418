import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { ConnectionTurns } from './connection-turns.js';
import { CopyIn } from './copy/copy-in.js';
import { areLarge, WAIT_FOR_VALUES } from './large-values.js';
import { isRefusedByDriver } from './transient-error.js';

/** Runs SQL on the pool, or on one connection inside a transaction. */
export interface Sql {
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that each connection prepares once under `name`. For hot paths. */
  prepared<Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]>;
}

/** One connection inside a transaction. */
export interface Transaction extends Sql {
  /**
   * Runs a `COPY … FROM STDIN`. For thousands of rows at once.
   * @param rows rows in the format of the statement, in chunks of any length
   */
  copyIn(statement: string, rows: Iterable<Buffer>): Promise<void>;
}

/** Receives the outcome of all work in Postgres. */
export interface PostgresOutages {
  /** The time for `startedAt`. */
  now(): number;
  responded(): void;
  /**
   * @param error of any kind
   * @param startedAt when the work began
   */
  failed(error: unknown, startedAt: number): void;
}

/** Runs plain SQL statements on a pool of Postgres connections. */
export class Database implements Sql {
  private readonly turns: ConnectionTurns;

  /**
   * @param localSettings settings for each transaction behind a pooler in transaction mode. Every statement then runs
   *   in its own transaction, and none is prepared, because the next session would not have it
   */
  constructor(
    readonly pool: Pool,
    private readonly localSettings?: string,
    private readonly outages?: PostgresOutages,
  ) {
    this.turns = new ConnectionTurns(pool.options.max);
  }

  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.localSettings !== undefined) return this.transaction((runner) => runner.query<Row>(sql, values));
    return this.observed(runnerOf(this.pool).query<Row>(sql, values));
  }

  prepared<Row extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    if (this.localSettings !== undefined) return this.query<Row>(sql, values);
    return this.observed(runnerOf(this.pool).prepared<Row>(name, sql, values));
  }

  /** Commits the changes of `work`, or rolls them back if it throws. */
  transaction<Result>(work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    return this.inTransaction('begin', work);
  }

  /**
   * The same for a request of an organization, which waits until the organization uses less than half of the
   * connections.
   * @throws DomainError if that takes longer than for a connection
   */
  transactionOf<Result>(organizationId: string, work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    return this.inTurn(organizationId, () => this.transaction(work));
  }

  /** The same for other work that uses one connection. Must not be nested: it would wait for itself. */
  inTurn<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    return this.turns.run(organizationId, 'change', work);
  }

  /** The same for reads, which must not wait behind changes that wait for locks. */
  inReadTurn<Result>(organizationId: string, read: () => Promise<Result>): Promise<Result> {
    return this.turns.run(organizationId, 'read', read);
  }

  /** Runs several reads for an organization on one snapshot. */
  snapshotOf<Result>(organizationId: string, read: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.inReadTurn(organizationId, () => this.snapshot(read));
  }

  /** Runs several reads on one snapshot, so that their results are consistent. */
  snapshot<Result>(read: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.inTransaction('begin isolation level repeatable read read only', read);
  }

  private inTransaction<Result>(begin: string, work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    return this.observed(this.runTransaction(begin, work));
  }

  private async observed<Result>(work: Promise<Result>): Promise<Result> {
    const startedAt = this.outages?.now() ?? 0;
    try {
      const result = await work;
      this.outages?.responded();
      return result;
    } catch (error) {
      this.outages?.failed(error, startedAt);
      throw error;
    }
  }

  private async runTransaction<Result>(begin: string, work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    // Handles a connection loss between two statements. Without a listener, the error would end the process.
    const onLost = (error: Error): void => void (broken ??= error);
    client.on('error', onLost);
    try {
      await client.query(this.localSettings === undefined ? begin : `${begin}; ${this.localSettings}`);
      const result = await work(this.transactionOn(client));
      await client.query('commit');
      return result;
    } catch (error) {
      // The driver refuses the next query on a lost connection without a reason.
      if (broken && isRefusedByDriver(error)) throw broken;
      // A connection that fails to roll back, hangs, or reaches a demoted primary must not return to the pool.
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
      prepared: async (name, sql, values) => {
        if (this.localSettings !== undefined) return query(sql, values);
        if (areLarge(values)) await query(WAIT_FOR_VALUES);
        return prepared(name, sql, values);
      },
      copyIn: (statement, rows) => copyIn(client, statement, rows),
    };
  }
}

/**
 * True for errors of a read-only server, such as a demoted primary, or one that is shutting down (SQLSTATE 25006, 57P01
 * to 57P05). Such a connection may stay open, but only a new connection reaches the new primary.
 */
function endsConnection(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(25006|57P0.)$/.test(String(error.code));
}

/** True for the driver's read timeout. The next query on that connection would wait behind the hung one. */
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
