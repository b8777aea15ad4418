import type { Database } from './database.js';
import { isInterruption } from './transient-error.js';

/**
 * Lets others go first after a step of background work has failed: work that fails again and again would otherwise
 * always be the one that has waited longest.
 * @param postpone the statement that does so; $1 is the ID
 * @param id the work whose step failed, if the step got that far
 * @throws `error` if it says nothing about the work, or if Postgres does not respond
 */
export async function postponeStep(
  database: Database,
  postpone: string,
  id: string | undefined,
  error: unknown,
): Promise<void> {
  if (id === undefined || isInterruption(error)) throw error;
  await database.query(postpone, [id]).catch(() => Promise.reject(error as Error));
}
