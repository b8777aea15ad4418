import { isUuid } from '../platform/clock/uuid-v7.js';
import { plainArray, textArray } from '../platform/database/array-literal.js';

/** The shape of tracking IDs, also of imported ones. */
export const TRACKING_ID = /^[\w-]{1,255}$/;

/** The names of emails in events as arrays for Postgres. */
interface EmailNames {
  readonly ids: string;
  readonly trackingIds: string;
}

/**
 * Splits names into IDs and tracking IDs, so that a lookup uses the index of each. Drops other names, which come from
 * damaged entries: Postgres refuses texts with NUL.
 * @returns undefined when nothing is left
 */
export function splitNames(names: readonly string[]): EmailNames | undefined {
  const unique = [...new Set(names)].filter((name) => TRACKING_ID.test(name));
  if (unique.length === 0) return undefined;
  return {
    ids: plainArray(unique.filter(isUuid)),
    trackingIds: textArray(unique.filter((name) => !isUuid(name))),
  };
}
