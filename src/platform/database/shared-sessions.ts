import { setTimeout } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../errors/operator-error.js';

/** Thrown when a pooler runs in transaction mode but DATABASE_POOLING is not set to it. */
export class SharedSessionError extends OperatorError {
  constructor() {
    super(
      'DATABASE_URL points to a pooler in transaction mode, where session settings are lost: set DATABASE_POOLING=transaction',
    );
  }
}

/** Maximum wait for the second query. In transaction mode it may block until the other transaction ends. */
const QUERY_TIMEOUT_MS = 1_000;

/**
 * Checks that our session stays the same while another client has a transaction open. An idle pooler in transaction
 * mode gives the most recently used session to that transaction. A busy pooler may go undetected.
 * @throws SharedSessionError
 */
export async function refuseSharedSessions(pool: Pool): Promise<void> {
  const ours = await pool.connect();
  const other = await pool.connect().catch((error: unknown) => {
    ours.release();
    throw error;
  });
  try {
    const before = await sessionOf(ours);
    await other.query('begin');
    const after = sessionOf(ours);
    await Promise.race([after, setTimeout(QUERY_TIMEOUT_MS, undefined, { ref: false })]);
    await other.query('rollback');
    if ((await after) !== before) throw new SharedSessionError();
  } finally {
    ours.release();
    other.release();
  }
}

async function sessionOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
