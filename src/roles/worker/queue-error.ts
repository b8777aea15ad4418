import type { Logger } from '../../platform/logging/logger.js';
import { isRedisConnectionOutage } from '../../platform/redis/outage-errors.js';
import { refusesLogin } from '../../platform/redis/refused-writes.js';

/** Redis lost its jobs, or took one from a worker that stood still: no fault of this program, so no stack helps. */
const LOST_JOB = /^(Missing (lock|key) for job|could not renew lock for job|UNBLOCKED) /;

/**
 * Logs an error that BullMQ emits on a queue. Outages of Redis have lines of their own, which a refused login begins
 * here: it may concern this connection alone.
 */
export function logQueueError(logger: Logger, error: Error, message: string): void {
  if (isRedisConnectionOutage(error) && !refusesLogin(error.message)) logger.debug({ err: error }, message);
  else if (LOST_JOB.test(error.message)) logger.warn({ reason: error.message }, message);
  else logger.warn({ err: error }, message);
}
