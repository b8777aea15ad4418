import { UNKNOWN_OUTCOME } from './unknown-outcome-reason.js';

/** The condition of a failed email `e` whose outcome is unknown. */
export const IS_UNKNOWN = `e.failed_at is not null and e.last_error like '${UNKNOWN_OUTCOME}%'`;

/** The condition of a pending email `p`, which no worker holds: the email waits for its resend. */
export const AWAITS_RESEND = 'p.possible_duplicate and p.lease_token is null';
