import { Pool, type ClientBase, type PoolConfig } from 'pg';
import { OperatorError } from '../errors/operator-error.js';
import type { StoreOutages } from '../health/store-outages.js';
import { errorFields } from '../logging/error-fields.js';
import type { Logger } from '../logging/logger.js';
import { Database, type PostgresOutages } from './database.js';
import { refuseSharedSessions } from './shared-sessions.js';
import { isInterruption, isPostgresOutage } from './transient-error.js';

/** Postgres timeouts of a process that serves requests, in milliseconds. */
export interface Timeouts {
  /** For a connection from the pool, whether free or new. */
  readonly connectMs: number;
  /** For a statement, enforced by the server. The client times out a second later, in case the server hangs. */
  readonly statementMs: number;
}

/** What Postgres itself responds when DATABASE_URL is wrong. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'Postgres refuses the user or the password of DATABASE_URL',
  '28000': 'Postgres refuses the login of DATABASE_URL; its log says why',
  '3D000': 'Postgres does not have the database of DATABASE_URL: create it first',
};

/** Thrown when the database cannot be used. Never shows its URL, which can contain a password. */
export class DatabaseUnreachableError extends OperatorError {
  constructor(error: unknown) {
    const { code = '', message } = error as { code?: string; message?: string };
    super(REFUSALS[code] ?? `Postgres cannot be reached at DATABASE_URL: ${code || message || 'no reason given'}`);
  }
}

/**
 * Limit of the first connections, which nobody waits for yet: a host that has just started is busy, and giving up would
 * restart the process.
 */
const FIRST_CONNECTION_MS = 15_000;

/** A restart of Postgres ends all idle connections at once. */
const WARN_EVERY_MS = 60_000;

/** Pool mode between this process and Postgres: a session per client (or no pooler), or a session per transaction. */
export type Pooling = 'session' | 'transaction';

export interface OpenOptions {
  /** Undefined for work without a time limit, such as migrations. */
  readonly timeouts?: Timeouts;
  readonly pooling?: Pooling;
  readonly logger?: Logger;
  readonly outages?: StoreOutages;
}

/**
 * Options of every Postgres connection. Startup parameters are limited to those that a pooler such as PgBouncer
 * accepts; `sessionSettings` sets the timeouts later.
 */
export function connectionOptions(timeouts?: Timeouts): PoolConfig {
  return {
    application_name: 'mailbeacon',
    connectionTimeoutMillis: timeouts?.connectMs ?? 5_000,
    // A new connection costs Postgres and us some milliseconds, so connections of rare jobs must stay open between two
    // runs.
    idleTimeoutMillis: 60_000,
    // After a failover, every connection is eventually renewed, whichever server it still reaches.
    maxLifetimeSeconds: 900,
    // Without keepalives, a vanished peer would hold connections for a quarter of an hour.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(timeouts && { query_timeout: timeouts.statementMs + 1_000 }),
  };
}

/**
 * With these, Postgres ends a session within 30 seconds after its host has vanished, as the driver does at the other
 * end. Linux waits for two hours by default. Until then the session takes up a connection, and its transaction keeps
 * its locks if part of a statement has arrived: no timeout of Postgres ends that state.
 */
const KEEPALIVES = [
  'tcp_keepalives_idle = 10',
  'tcp_keepalives_interval = 5',
  'tcp_keepalives_count = 4',
  `tcp_user_timeout = '30s'`,
];

/** For a transaction in a session without them. */
export const LOCAL_KEEPALIVES = KEEPALIVES.map((setting) => `set local ${setting}`).join('; ');

/**
 * Disables sequential scans, because cached plans live as long as their connection. A plan made for a small table, or
 * from stale statistics, would scan the whole table once it is large. Disables JIT, because compiling takes longer than
 * any of our statements. A process that hangs inside a transaction is disconnected, because its locks block others.
 * @param scope `set` for the session, `set local` for one transaction
 */
export function sessionSettings(scope: 'set' | 'set local', timeouts?: Timeouts): string {
  const settings = ['enable_seqscan = off', 'jit = off', `idle_in_transaction_session_timeout = '5s'`];
  // A pooler shares the connection of a transaction with others, and decides about it itself.
  if (scope === 'set') settings.push(...KEEPALIVES);
  if (timeouts) settings.push(`statement_timeout = ${timeouts.statementMs}`);
  return settings.map((setting) => `${scope} ${setting}`).join('; ');
}

/**
 * Opens a pool of at most `poolSize` connections. The caller must end it.
 * @throws DatabaseUnreachableError when the first connection fails, SharedSessionError
 */
export async function openDatabase(
  url: string,
  poolSize: number,
  { timeouts, pooling = 'session', logger, outages }: OpenOptions = {},
): Promise<Database> {
  const options = connectionOptions(timeouts);
  const pool = new Pool({
    ...options,
    connectionString: url,
    connectionTimeoutMillis: FIRST_CONNECTION_MS,
    max: poolSize,
    // Behind a pooler in transaction mode, this would change the session of another client.
    ...(pooling === 'session' && {
      onConnect: async (client: ClientBase) => void (await client.query(sessionSettings('set', timeouts))),
    }),
  });
  // The next query replaces a lost idle connection. Without a listener, the error would end the process. An ended pool
  // may still be closing its connections when Postgres stops, too.
  let warnedAt = -Infinity;
  pool.on('error', (error) => {
    if (pool.ending) return;
    const isRepeated = performance.now() - warnedAt < WARN_EVERY_MS;
    if (!isRepeated) warnedAt = performance.now();
    const reason = errorFields(error).message;
    logger?.[isRepeated ? 'debug' : 'warn']({ reason }, 'Lost an idle connection to Postgres');
  });
  try {
    if (pooling === 'session' && poolSize > 1) await refuseSharedSessions(pool);
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw error instanceof OperatorError ? error : new DatabaseUnreachableError(error);
  }
  pool.options.connectionTimeoutMillis = options.connectionTimeoutMillis;
  const localSettings = pooling === 'transaction' ? sessionSettings('set local', timeouts) : undefined;
  return new Database(pool, localSettings, outages && postgresOutages(outages));
}

/** A connection that does not become free in time counts only during an outage: otherwise the pool is busy. */
function postgresOutages(outages: StoreOutages): PostgresOutages {
  const isReported = (error: unknown, startedAt: number): error is Error =>
    isPostgresOutage(error) || (outages.metOutage('Postgres', startedAt) && isInterruption(error));
  return {
    now: () => outages.now(),
    responded: () => outages.responded('Postgres'),
    failed: (error, startedAt) => {
      if (isReported(error, startedAt)) outages.failed('Postgres', error, startedAt);
    },
  };
}
