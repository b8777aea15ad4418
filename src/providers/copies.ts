import type { Mailbox, OutgoingEmail } from './provider.js';

/** The recipients of one message. `to` is never empty. */
export interface Copy {
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
}

/**
 * The messages that reach the recipients of this attempt, for providers without an envelope apart from to, cc and bcc:
 * all others are left out of these fields. `to` must not be empty: if it would be, recipients in cc replace it;
 * recipients in bcc, who must not see each other, each get a separate message. No address is repeated, because SendGrid
 * refuses that.
 */
export function copiesOf({ to, cc, bcc, envelopeRecipients }: OutgoingEmail): readonly Copy[] {
  const left = new Set(envelopeRecipients.map((address) => address.toLowerCase()));
  const isLeft = ({ address }: Mailbox): boolean => left.delete(address.toLowerCase());
  const [direct = [], copied = [], hidden = []] = [to, cc, bcc].map((list) => list.filter(isLeft));
  if (direct.length > 0) return [{ to: direct, cc: copied, bcc: hidden }];
  if (copied.length > 0) return [{ to: copied, cc: [], bcc: hidden }];
  return hidden.map((mailbox) => ({ to: [mailbox], cc: [], bcc: [] }));
}
