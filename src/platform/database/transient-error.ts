import { NETWORK_CODES } from '../errors/network-codes.js';

/**
 * Connection loss and shutdown (SQLSTATE classes 08, 57P), a read-only server during a failover (25006), and the victim
 * of a deadlock or of a serialization failure (40P01, 40001).
 */
const INTERRUPTION_STATES = '08...|57P0.|25006|40P01|40001';
const INTERRUPTION_CODE = new RegExp(`^(${INTERRUPTION_STATES}|${NETWORK_CODES})$`);
/** The driver, about a query on a connection that is already lost. */
const REFUSED_BY_DRIVER = 'Client .* is not queryable$';
const REFUSAL_MESSAGE = new RegExp(`^${REFUSED_BY_DRIVER}`);
const INTERRUPTION_MESSAGE = new RegExp(
  `^(Connection terminated|timeout exceeded when trying to connect|${REFUSED_BY_DRIVER})`,
);
const OUTAGE_CODE = new RegExp(`^(08...|57P0[1-3]|${NETWORK_CODES})$`);
const OUTAGE_MESSAGE = new RegExp(`^(Connection terminated|Query read timeout|${REFUSED_BY_DRIVER})`);
/**
 * Timeout of a statement (57014), of a lock (55P03) or of an idle transaction (25P03), lack of connections, disk space
 * or memory (53), and disk failures (58).
 */
const SHORTAGE_CODE = /^(57014|55P03|25P03|53...|58...)$/;
const LIMIT_CODE = /^(57014|53200)$/;
const SHORTAGE_MESSAGE = /^Query read timeout/;
/**
 * Postgres was not reached, or reported an error itself, which rolled the statement back. A shutdown (57P01, 57P02) or
 * a pooler (08) may report one after the commit.
 */
const ROLLED_BACK_CODE = /^(?!08|57P0[12]|E)[0-9A-Z]{5}$|^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
const UNREACHED_MESSAGE = /^timeout exceeded when trying to connect/;

/** True if the driver refused a query because its connection is lost. It names no reason. */
export function isRefusedByDriver(error: unknown): boolean {
  return error instanceof Error && REFUSAL_MESSAGE.test(error.message);
}

/** True if a statement certainly changed nothing. */
export function changedNothing(error: unknown): boolean {
  return matches(error, ROLLED_BACK_CODE, UNREACHED_MESSAGE);
}

/** True if a statement failed for a temporary reason, so that a later retry can succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  return isInterruption(error) || matches(error, SHORTAGE_CODE, SHORTAGE_MESSAGE);
}

/**
 * True for transient errors that the work itself did not cause, so that it can be repeated soon. The others may return
 * for as long as the work is the same: a statement that is too slow, or that needs too much memory.
 */
export function isInterruption(error: unknown): boolean {
  return matches(error, INTERRUPTION_CODE, INTERRUPTION_MESSAGE);
}

/** True if Postgres could not be reached, ended the session on its own, or did not respond at all. */
export function isPostgresOutage(error: unknown): error is Error {
  return error instanceof Error && matches(error, OUTAGE_CODE, OUTAGE_MESSAGE);
}

/**
 * True if a statement took too long, or needed too much memory: either because of the work itself, which then fails
 * each time, or because Postgres is short of it.
 */
export function exceedsLimit(error: unknown): boolean {
  return matches(error, LIMIT_CODE, SHORTAGE_MESSAGE);
}

function matches(error: unknown, ofCode: RegExp, ofMessage: RegExp): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return ofCode.test(code);
  return typeof message === 'string' && ofMessage.test(message);
}
