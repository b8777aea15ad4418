import { isOneOf } from '../platform/database/one-of.js';
import { EVENT_TYPES } from './engagement-event.js';

/** The condition that an event is an open or a click. @param column its type */
export function isHit(column: string): string {
  return isOneOf(
    column,
    EVENT_TYPES.filter((type) => type !== 'sent'),
  );
}
