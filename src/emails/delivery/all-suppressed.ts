import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';

/**
 * Prefix of the failure reason of an email that leaves all its recipients out. The index `emails_broadcast_suppressed`
 * names it, too.
 */
const ALL_SUPPRESSED = 'Every recipient is suppressed';

/** SQL condition: true for a failed row `e` of `emails` whose recipients were all suppressed when it was claimed. */
export const WERE_ALL_SUPPRESSED = `e.last_error like '${ALL_SUPPRESSED}%'`;

/** @param leftOut empty when an earlier run left them out, or they are erased */
export function allSuppressedReason(leftOut: readonly SuppressedRecipient[]): string {
  const named = leftOut.map(({ address, reason }) => `${address} (${reason})`).join(', ');
  return `${ALL_SUPPRESSED}${named && `: ${named}`}`;
}
