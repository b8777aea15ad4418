import { isUuid } from '../platform/clock/uuid-v7.js';
import { EmailNotFoundError } from './email-errors.js';

/**
 * Clients may name an email by its ID or its tracking ID; they look different.
 * @returns the column of `emails e` that holds such an id
 * @throws EmailNotFoundError for a text that can be neither
 */
export function idColumnOf(idOrTrackingId: string): 'e.id' | 'e.tracking_id' {
  if (isUuid(idOrTrackingId)) return 'e.id';
  if (/^[\w-]{1,64}$/.test(idOrTrackingId)) return 'e.tracking_id';
  throw new EmailNotFoundError();
}

/**
 * Picks of `emails e` those whose ids are in $1. Spelled so that the planner cannot see how many there are: knowing it,
 * it would make a new plan for every call of a prepared statement, which costs as much as reading the emails.
 */
export const ID_AMONG = 'e.id = any(array(select unnest($1::uuid[])))';
