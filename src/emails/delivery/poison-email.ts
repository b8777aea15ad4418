/**
 * Runs that may end without a word before their email counts as what ends them. More than a bad deployment brings
 * about, fewer than would let one email kill workers for hours.
 */
const CRASH_BUDGET = 20;

export const POISON_REASON = `its worker ended ${CRASH_BUDGET} times while it was being delivered`;

/** @param stalls crashes of the present job that only the queue knows of: they came before the email was claimed */
export function isPoison({ crashes }: { readonly crashes: number }, stalls = 0): boolean {
  return crashes + stalls > CRASH_BUDGET;
}
