import type { StatementValues } from '../../platform/database/statement.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import { addressKey } from '../mailbox.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import type { CLAIM } from './claim-statement.js';
import type { Lease } from './lease.js';
import type { LoadedEmail } from './loaded-email.js';

/** The recipients that the provider is about to get. */
export interface Audience {
  readonly organizationId: string;
  /** True for an email from which its recipient can unsubscribe. */
  readonly unsubscribe: boolean;
  readonly addresses: readonly string[];
}

/** The recipients of a loaded email. */
export function audienceOf({ unsubscribe, message }: LoadedEmail): Audience {
  const { organizationId, envelopeRecipients: addresses } = message;
  return { organizationId, unsubscribe, addresses };
}

/** Of a claim that only records an outcome. */
export const NO_AUDIENCE: Audience = { organizationId: '', unsubscribe: false, addresses: [] };

/** An email as a worker has loaded it. */
export interface Claimable {
  readonly generation: number;
  readonly audience: Audience;
  /** ID of the provider that is about to get it, if any. */
  readonly provider: string | null;
}

/**
 * The attempt number; undefined when this worker may not send the email now; or the recipients that are suppressed, in
 * which case the email is not claimed.
 */
export type Claimed = number | readonly SuppressedRecipient[] | undefined;

export interface ClaimRow {
  token: string;
  attempts: number | null;
  suppressed: readonly { key: string; reason: SuppressionReason }[] | null;
}

/** @param leaseMs how long a lease lasts without renewal */
export function claimValues(
  claims: readonly (readonly [Lease, Claimable])[],
  leaseMs: number,
): StatementValues<typeof CLAIM> {
  const checked = claims.flatMap(([{ token }, { audience }]) =>
    audience.addresses.map((address) => ({ ...audience, token, key: addressKey(address) })),
  );
  return {
    emailIds: claims.map(([{ emailId }]) => emailId),
    tokens: claims.map(([{ token }]) => token),
    generations: claims.map(([, { generation }]) => generation),
    providers: claims.map(([, { provider }]) => provider ?? ''),
    leaseMs,
    checkedTokens: checked.map(({ token }) => token),
    checkedOrganizations: checked.map(({ organizationId }) => organizationId),
    checkedKeys: checked.map(({ key }) => key),
    checkedUnsubscribes: checked.map(({ unsubscribe }) => unsubscribe),
  };
}

/** @returns the result of each claim, in their order */
export function readClaims(claims: readonly (readonly [Lease, Claimable])[], rows: readonly ClaimRow[]): Claimed[] {
  const results = new Map(rows.map((row) => [row.token, row]));
  return claims.map(([{ token }, { audience }]) => {
    const row = results.get(token);
    if (!row?.suppressed) return row?.attempts ?? undefined;
    const reasons = new Map(row.suppressed.map(({ key, reason }) => [key, reason]));
    return audience.addresses.flatMap((address) => {
      const reason = reasons.get(addressKey(address));
      return reason === undefined ? [] : [{ address, reason }];
    });
  });
}
