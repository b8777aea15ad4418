/** How the reason of an email begins that failed because nobody could know whether the provider accepted it. */
export const OUTCOME_UNKNOWN = 'Delivery outcome unknown';
