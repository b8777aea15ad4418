import type { BounceKind } from '../recipient-event.js';

/** Permanent statuses that are not about the address: full mailbox, size, system, network, sender, content, policy. */
const SOFT = /^5\.(?:1\.[78]|2\.[234]|3\.|4\.[23567]|6\.|7\.)/;
/** The address or its domain does not exist, or never accepts mail. */
const HARD = /^5\.(?:1\.|2\.1$|4\.4$)/;

/** The kind of a bounce by its enhanced status code; undefined when the code does not decide it. */
export function bounceKindOf(status: string): BounceKind | undefined {
  if (status.startsWith('4.') || SOFT.test(status)) return 'soft';
  return HARD.test(status) ? 'hard' : undefined;
}
