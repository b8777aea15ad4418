import { isUuid } from '../../platform/clock/uuid-v7.js';

/** Marks that everything is shown but older emails that only their subject finds. */
export const OLDER_SUBJECTS = 'older';

/** Before the ID of every email. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The parts of a search's cursor: the last email, and the oldest of those whose subjects are searched first, which later
 * pages leave as it is, so that no page repeats or omits one.
 */
export const SEARCH_POSITION = [isUuid, (part: string) => part === OLDER_SUBJECTS || isUuid(part)] as const;
