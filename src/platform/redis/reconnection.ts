/**
 * What a server says that is not, or no longer, the one to write to: a demoted primary, a replica that still loads its
 * data or has lost its primary, a cluster node that does not serve the slot, a primary whose replicas have left it.
 * Scripts put the word behind a dash (Redis 6).
 */
const WRONG_SERVER = /(^|-)(READONLY|LOADING|MASTERDOWN|MOVED|CLUSTERDOWN|NOREPLICAS|UNBLOCKED) /;

/** A server that stays wrong is not dialled more often than this, however many commands it refuses. */
const RECONNECT_EVERY_MS = 1_000;

function comesFromWrongServer(error: unknown): boolean {
  return WRONG_SERVER.test(String((error as { message?: unknown }).message));
}

const reconnectedAt = new WeakMap<object, number>();

/**
 * The `reconnectOnError` of ioredis. A failover may leave connections to the old primary open for ever: it answers
 * PING and refuses every write. A new connection finds the new primary; the refused command fails, and its caller
 * decides.
 * @param this the options of the connection, of which every connection has its own
 */
export function reconnectOnError(this: object, error: Error): boolean {
  if (!comesFromWrongServer(error)) return false;
  const now = performance.now();
  if (now - (reconnectedAt.get(this) ?? -Infinity) < RECONNECT_EVERY_MS) return false;
  reconnectedAt.set(this, now);
  return true;
}
