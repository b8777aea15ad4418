/** Prefix of the failure reason of an email whose delivery outcome is unknown. */
export const OUTCOME_UNKNOWN = 'Delivery outcome unknown';
