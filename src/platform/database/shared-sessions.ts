import { setTimeout } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../errors/operator-error.js';

/** Thrown when a pooler gives each transaction another session, and this process was not told. */
export class SharedSessionError extends OperatorError {
  constructor() {
    super(
      'DATABASE_URL leads to a pooler in transaction mode, where no session keeps its settings: set DATABASE_POOLING=transaction',
    );
  }
}

/** How long a session of our own takes at most to answer; in transaction mode it may not be there before the other ends. */
const ANSWER_MS = 1_000;

/**
 * A session of our own stays the same while another client has a transaction open. A pooler in transaction mode that is
 * not busy gives the session used last to that transaction; one that is busy may go unnoticed.
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
    await Promise.race([after, setTimeout(ANSWER_MS, undefined, { ref: false })]);
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
