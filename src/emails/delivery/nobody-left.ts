import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';

/** Prefix of the failure reason of an email that leaves all its recipients out. */
const NOBODY_LEFT = 'Every recipient is suppressed';

/** SQL condition: true for a failed row `e` of `emails` whose recipients were all suppressed when it was claimed. */
export const IS_NOBODY_LEFT = `e.last_error like '${NOBODY_LEFT}%'`;

/** @param leftOut empty when an earlier run left them out */
export function nobodyIsLeft(leftOut: readonly SuppressedRecipient[]): string {
  const named = leftOut.map(({ address, reason }) => `${address} (${reason})`).join(', ');
  return `${NOBODY_LEFT}${named && `: ${named}`}`;
}
