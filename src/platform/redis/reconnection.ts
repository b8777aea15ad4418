/**
 * Errors of a server that is not, or no longer, the writable primary: a demoted primary, a replica that is loading or
 * has lost its primary, a cluster node that does not own the slot, a primary without enough replicas.
 * Errors from scripts have the code after a dash (Redis 6).
 */
const WRONG_SERVER = /(^|-)(READONLY|LOADING|MASTERDOWN|MOVED|CLUSTERDOWN|NOREPLICAS|UNBLOCKED) /;

/** Minimum interval between reconnects to a server that keeps rejecting commands. */
const RECONNECT_EVERY_MS = 1_000;

function comesFromWrongServer(error: unknown): boolean {
  return WRONG_SERVER.test(String((error as { message?: unknown }).message));
}

const reconnectedAt = new WeakMap<object, number>();

/**
 * The `reconnectOnError` of ioredis. After a failover, connections to the old primary may stay open forever: it
 * responds to PING but rejects every write. A new connection finds the new primary. The rejected command fails, and its
 * caller decides.
 * @param this the options object of the connection, which is unique to each connection
 */
export function reconnectOnError(this: object, error: Error): boolean {
  if (!comesFromWrongServer(error)) return false;
  const now = performance.now();
  if (now - (reconnectedAt.get(this) ?? -Infinity) < RECONNECT_EVERY_MS) return false;
  reconnectedAt.set(this, now);
  return true;
}
