import type { BounceKind } from '../recipient-event.js';

/**
 * Permanent statuses that are not about the address: full mailbox, size, system, network, sender, content, policy.
 * Exchange Online adds 5.1.90 for a sender over its daily limit, and 5.2.121 and 5.2.122 for a mailbox that gets too
 * much in an hour.
 */
const SOFT = /^5\.(?:1\.(?:[78]|90$)|2\.(?:[234]|12[12]$)|3\.|4\.(?!310$)[23567]|6\.|7\.)/;
/** The address or its domain does not exist, or never accepts mail. 5.4.310 is Exchange Online's for such a domain. */
const HARD = /^5\.(?:1\.|2\.1$|4\.4$|4\.310$)/;

/** The kind of a bounce by its enhanced status code; undefined when the code does not decide it. */
export function bounceKindOf(status: string): BounceKind | undefined {
  if (status.startsWith('4.') || SOFT.test(status)) return 'soft';
  return HARD.test(status) ? 'hard' : undefined;
}
