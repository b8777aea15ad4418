/**
 * Crashed runs before the email itself counts as the cause. More than a bad deployment causes, but few enough that
 * one email cannot crash workers for hours.
 */
const CRASH_BUDGET = 20;

export const POISON_REASON = `its worker ended more than ${CRASH_BUDGET} times while it was being delivered`;

/** @param stalls crashes of this job that only the queue has counted: they happened before the email was claimed */
export function isPoison({ crashes }: { readonly crashes: number }, stalls = 0): boolean {
  return crashes + stalls > CRASH_BUDGET;
}
