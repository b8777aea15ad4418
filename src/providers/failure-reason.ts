const LONGEST_REASON = 500;

/** Shorter, because nearly every email has one. */
const LONGEST_ACCEPTANCE = 200;

/**
 * Formats a reason to store and to show to the sender: one line, no control characters, at most 500 characters.
 * Never log it: servers often quote an email address in their responses.
 */
export function readableReason(text: string): string {
  return lineOf(text, LONGEST_REASON);
}

/** The same for a provider's response when it accepts an email: at most 200 characters. */
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
  // Does not cut a surrogate pair in half.
  const cut = line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}…`;
}
