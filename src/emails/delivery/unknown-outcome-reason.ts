/** Prefix of the failure reason of an email whose delivery outcome is unknown. */
export const UNKNOWN_OUTCOME = 'Delivery outcome unknown';
