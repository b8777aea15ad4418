/**
 * Connection loss, shutdown and time-out (SQLSTATE classes 08, 57P, 57014), shortage of connections, disk or memory
 * (53), a disk that fails (58), a server that only reads while another one takes over (25006), a conflict with others
 * that asking again resolves (40P01, 40001, 55P03), a transaction cut off because its process stood still (25P03), and
 * failures of the socket.
 */
const TROUBLE =
  /^(08...|57P0.|57014|53...|58...|25006|25P03|40P01|40001|55P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
const TROUBLE_OF_THE_DRIVER =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client .* is not queryable$)/;

/** True when a statement failed for a reason that passes: not what was asked is at fault, and asking later helps. */
export function isTransientDatabaseError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return TROUBLE.test(code);
  return typeof message === 'string' && TROUBLE_OF_THE_DRIVER.test(message);
}
