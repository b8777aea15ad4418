/** Prefix of the failure reason of an email whose delivery outcome is unknown. */
export const UNKNOWN_OUTCOME = 'Delivery outcome unknown';

const EARLIER_COPY = `${UNKNOWN_OUTCOME}: an earlier copy may have arrived, and another one failed`;

/** The reason why the second copy of an email failed, which also says that the first may have arrived. */
export function inDoubt(reason: string): string {
  return reason.startsWith(UNKNOWN_OUTCOME) ? reason : `${EARLIER_COPY}: ${reason}`;
}

/** The reason of an email or recipient that an operator has settled. */
export const SETTLED_AS_FAILED = 'Settled by an operator as not delivered';
