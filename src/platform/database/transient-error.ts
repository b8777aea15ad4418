/**
 * Connection loss, shutdown and timeout (SQLSTATE classes 08, 57P, 57014), lack of connections, disk space or memory
 * (53), disk failures (58), a read-only server during a failover (25006), conflicts that a retry resolves (40P01,
 * 40001, 55P03), a transaction that was idle for too long (25P03), and socket errors.
 */
const TRANSIENT_CODE =
  /^(08...|57P0.|57014|53...|58...|25006|25P03|40P01|40001|55P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
const TRANSIENT_DRIVER_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client .* is not queryable$)/;

/** True if a statement failed for a temporary reason, so that a later retry can succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return TRANSIENT_CODE.test(code);
  return typeof message === 'string' && TRANSIENT_DRIVER_MESSAGE.test(message);
}
