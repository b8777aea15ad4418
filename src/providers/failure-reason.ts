const LONGEST_REASON = 500;

/** Nearly every email has one, so it is stored shorter. */
const LONGEST_ACCEPTANCE = 200;

/**
 * Formats a reason to store and to show to the sender: one line, no control characters, at most 500 characters.
 * Never log it: servers often quote an email address in their responses.
 */
export function readableReason(text: string): string {
  return lineOf(text, LONGEST_REASON);
}

/** The same for the words with which a provider accepted an email: at most 200 characters. */
export function readableAcceptance(text: string): string {
  return lineOf(text, LONGEST_ACCEPTANCE);
}

function lineOf(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (line.length <= longest) return line;
  // Without half of a character that consists of two.
  const cut = line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}…`;
}
