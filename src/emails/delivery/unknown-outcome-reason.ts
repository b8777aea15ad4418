/** Prefix of the failure reason of an email whose delivery outcome is unknown. */
export const UNKNOWN_OUTCOME = 'Delivery outcome unknown';

/** The reason of an email or recipient that an operator has settled. */
export const SETTLED_AS_FAILED = 'Settled by an operator as not delivered';
