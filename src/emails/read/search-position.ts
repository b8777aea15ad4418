import { isUuid } from '../../platform/clock/uuid-v7.js';

/** Marks that only older emails that match by subject are left. */
export const OLDER_SUBJECTS = 'older';

/**
 * The parts of a search's cursor: the last email, and the oldest of the emails whose subjects are searched first. Later
 * pages search none that is older, so that no page repeats or omits an email.
 */
export const SEARCH_POSITION = [isUuid, (part: string) => part === OLDER_SUBJECTS || isUuid(part)] as const;
