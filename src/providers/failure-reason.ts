const LONGEST_REASON = 500;

/**
 * Formats a reason to store and to show to the sender: one line, no control characters, at most 500 characters.
 * Never log it: servers often quote an email address in their responses.
 */
export function readableReason(text: string): string {
  const line = text
    .slice(0, LONGEST_REASON * 4)
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1).trimEnd()}…`;
}
