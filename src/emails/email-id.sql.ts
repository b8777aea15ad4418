import { isUuid } from '../platform/clock/uuid-v7.js';
import { EmailNotFoundError } from './email-errors.js';

/**
 * Clients may identify an email by its ID or its tracking ID; the formats differ.
 * @returns the column of `emails e` that holds this kind of ID
 * @throws EmailNotFoundError for a text that is neither
 */
export function idColumnOf(idOrTrackingId: string): 'e.id' | 'e.tracking_id' {
  if (isUuid(idOrTrackingId)) return 'e.id';
  if (/^[\w-]{1,64}$/.test(idOrTrackingId)) return 'e.tracking_id';
  throw new EmailNotFoundError();
}

/**
 * Selects the `emails e` whose IDs are in $1. The subquery hides the array length from the planner. Otherwise it
 * would replan each call of a prepared statement, which costs as much as reading the emails.
 */
export const ID_AMONG = 'e.id = any(array(select unnest($1::uuid[])))';
