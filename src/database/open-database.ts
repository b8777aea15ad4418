import { Pool, type ClientBase, type PoolConfig } from 'pg';
import { OperatorError } from '../errors/operator-error.js';
import type { Logger } from '../logging/logger.js';
import { Database } from './database.js';

/** How long a process that serves others waits for Postgres, in milliseconds. */
export interface Patience {
  /** For a connection, free or new. */
  readonly connectMs: number;
  /** For a statement, by the server's own clock; a server that says nothing at all is given up a second later. */
  readonly statementMs: number;
}

/** Thrown when the database cannot be used at all; never shows its address, which can hold a password. */
export class DatabaseUnreachableError extends OperatorError {
  constructor(error: unknown) {
    const { code, message } = error as { code?: string; message?: string };
    super(`Postgres cannot be reached at DATABASE_URL: ${code ?? message ?? 'no reason given'}`);
  }
}

/**
 * How every connection of ours reaches Postgres.
 * @param patience undefined for work that may take as long as it takes, such as migrations
 */
export function connectionOptions(patience?: Patience): PoolConfig {
  return {
    application_name: 'mailbeacon',
    connectionTimeoutMillis: patience?.connectMs ?? 5_000,
    // A peer that vanished without a word must not hold connections for a quarter of an hour.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(patience && { statement_timeout: patience.statementMs, query_timeout: patience.statementMs + 1_000 }),
  };
}

/**
 * Everything is read by index. What a statement looks for is now most of a table, now a thousandth, and a plan lasts as
 * long as its connection: one that was made while a table was small, or from statistics that are late, would read all
 * of it once it is large. Compiling a plan takes longer than any statement here.
 * A process that stands still in the middle of a transaction is cut off: others wait for what it has locked.
 */
const SESSION = `set enable_seqscan = off; set jit = off; set idle_in_transaction_session_timeout = '5s'`;

/**
 * Opens a pool of at most `poolSize` connections. Whoever opens it ends it.
 * @throws DatabaseUnreachableError when the first one cannot be had
 */
export async function openDatabase(
  url: string,
  poolSize: number,
  { patience, logger }: { patience?: Patience; logger?: Logger } = {},
): Promise<Database> {
  const onConnect = async (client: ClientBase): Promise<void> => void (await client.query(SESSION));
  const pool = new Pool({ ...connectionOptions(patience), connectionString: url, max: poolSize, onConnect });
  // A connection that dies while idle is replaced by the next query; without a listener it would end the process.
  pool.on('error', (error) => logger?.warn({ err: error }, 'Lost an idle connection to Postgres'));
  try {
    (await pool.connect()).release();
    return new Database(pool);
  } catch (error) {
    await pool.end();
    throw new DatabaseUnreachableError(error);
  }
}
