/** An enhanced status code, such as 5.1.1 (RFC 3463). */
const CODE = '[245]\\.\\d{1,3}\\.\\d{1,3}';
const WHOLE = new RegExp(`^${CODE}$`);
/** At the start of a reply, which may begin with its SMTP code (RFC 2034, 4). */
const LEADING = new RegExp(`^\\s*(?:[245]\\d\\d[ -]+)?#?(${CODE})(?![.\\d])`);

export function isEnhancedStatus(text: string): boolean {
  return WHOLE.test(text);
}

/** Finds the enhanced status code in a server's reply, as in `550 5.1.1 No such user`. */
export function enhancedStatusOf(text: string): string | undefined {
  return LEADING.exec(text)?.[1];
}
