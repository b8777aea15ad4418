import { Pool, type ClientBase, type PoolConfig } from 'pg';
import { OperatorError } from '../errors/operator-error.js';
import type { Logger } from '../logging/logger.js';
import { Database } from './database.js';
import { refuseSharedSessions } from './shared-sessions.js';

/** How long a process that serves others waits for Postgres, in milliseconds. */
export interface Timeouts {
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

/** What lies between this process and Postgres: nothing, or a pooler that gives each client, or each transaction, a session. */
export type Pooling = 'session' | 'transaction';

export interface OpenOptions {
  /** Undefined for work that may take as long as it takes, such as migrations. */
  readonly timeouts?: Timeouts;
  readonly pooling?: Pooling;
  readonly logger?: Logger;
}

/**
 * How every connection of ours reaches Postgres. Nothing is asked for at the start of a session that a pooler such as
 * PgBouncer would refuse: time-outs are set afterwards, see `sessionSettings`.
 */
export function connectionOptions(timeouts?: Timeouts): PoolConfig {
  return {
    application_name: 'mailbeacon',
    connectionTimeoutMillis: timeouts?.connectMs ?? 5_000,
    // After a failover every connection is renewed in the end, whatever it still reaches.
    maxLifetimeSeconds: 900,
    // A peer that vanished without a word must not hold connections for a quarter of an hour.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(timeouts && { query_timeout: timeouts.statementMs + 1_000 }),
  };
}

/**
 * Everything is read by index. What a statement looks for is now most of a table, now a thousandth, and a plan lasts as
 * long as its connection: one that was made while a table was small, or from statistics that are late, would read all
 * of it once it is large. Compiling a plan takes longer than any statement here.
 * A process that stands still in the middle of a transaction is cut off: others wait for what it has locked.
 * @param scope `set` for as long as the session lasts, `set local` for one transaction
 */
function sessionSettings(scope: 'set' | 'set local', timeouts?: Timeouts): string {
  const settings = ['enable_seqscan = off', 'jit = off', `idle_in_transaction_session_timeout = '5s'`];
  if (timeouts) settings.push(`statement_timeout = ${timeouts.statementMs}`);
  return settings.map((setting) => `${scope} ${setting}`).join('; ');
}

/**
 * Opens a pool of at most `poolSize` connections. Whoever opens it ends it.
 * @throws DatabaseUnreachableError when the first one cannot be had, SharedSessionError
 */
export async function openDatabase(
  url: string,
  poolSize: number,
  { timeouts, pooling = 'session', logger }: OpenOptions = {},
): Promise<Database> {
  const pool = new Pool({
    ...connectionOptions(timeouts),
    connectionString: url,
    max: poolSize,
    // Through a pooler in transaction mode this would change the session of whoever comes next.
    ...(pooling === 'session' && {
      onConnect: async (client: ClientBase) => void (await client.query(sessionSettings('set', timeouts))),
    }),
  });
  // A connection that dies while idle is replaced by the next query; without a listener it would end the process.
  pool.on('error', (error) => logger?.warn({ err: error }, 'Lost an idle connection to Postgres'));
  try {
    if (pooling === 'transaction') return await reached(new Database(pool, sessionSettings('set local', timeouts)));
    if (poolSize > 1) await refuseSharedSessions(pool);
    return await reached(new Database(pool));
  } catch (error) {
    await pool.end();
    throw error instanceof OperatorError ? error : new DatabaseUnreachableError(error);
  }
}

async function reached(database: Database): Promise<Database> {
  (await database.pool.connect()).release();
  return database;
}
