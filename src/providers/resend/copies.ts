import type { Mailbox, OutgoingEmail } from '../provider.js';

/** The recipients of one call. `to` is never empty. */
export interface Copy {
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
}

/**
 * The calls that reach the recipients who are left. Resend has no envelope apart from to, cc and bcc, so the others are
 * left out of these fields. `to` must not be empty: if it would be, recipients in cc replace it; recipients in bcc, who
 * must not see each other, each get a call. (`/emails/batch` would take them in one, but takes no attachments.)
 */
export function copiesOf({ to, cc, bcc, envelopeRecipients }: OutgoingEmail): readonly Copy[] {
  const isLeft = firstOf(new Set(envelopeRecipients.map((address) => address.toLowerCase())));
  const [direct = [], copied = [], hidden = []] = [to, cc, bcc].map((list) => list.filter(isLeft));
  if (direct.length > 0) return [{ to: direct, cc: copied, bcc: hidden }];
  if (copied.length > 0) return [{ to: copied, cc: [], bcc: hidden }];
  return hidden.map((mailbox) => ({ to: [mailbox], cc: [], bcc: [] }));
}

/** All addresses of a call, in lower case. */
export function addressesOf({ to, cc, bcc }: Copy): readonly string[] {
  return [...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase());
}

/** True for the first mailbox of each address. */
function firstOf(keys: Set<string>): (mailbox: Mailbox) => boolean {
  return ({ address }) => keys.delete(address.toLowerCase());
}
