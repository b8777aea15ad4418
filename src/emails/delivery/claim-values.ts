import type { StatementValues } from '../../platform/database/statement.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import { addressKey } from '../mailbox.js';
import type { CLAIM } from './claim-statement.js';
import type { Lease } from './lease.js';

/** The recipients that the provider is about to get. */
export interface Audience {
  readonly organizationId: string;
  /** True for an email from which its recipient can unsubscribe. */
  readonly unsubscribe: boolean;
  readonly addresses: readonly string[];
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
