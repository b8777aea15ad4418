import type { EmailStatus } from '../email-status.js';
import { addressKey } from '../mailbox.js';

/** What is stored about an email and its recipients. */
interface KnownRecipients {
  readonly possible_duplicate: boolean;
  readonly status: EmailStatus;
  /** The provider's ID from an earlier attempt that it accepted for some recipients. */
  readonly provider_id: string | null;
  readonly reached: boolean;
  /** True if all who had been deferred have reports. Null if none had been. */
  readonly deferred_reported: boolean | null;
  /** Those of them who have reports. */
  readonly reported: readonly string[];
  /** Addresses that certainly have none. */
  readonly refused: readonly string[];
}

/** What reports say about the attempt whose outcome is unknown. */
interface ReportsInDoubt {
  /** The provider has the email. */
  readonly coverAll: boolean;
  /** Recipients who had been deferred, and whom that attempt reached. */
  readonly reached: readonly string[];
}

/**
 * Only reports on all who had been deferred show that the attempt reached them: it may have left some out. Several hidden
 * recipients may have had a message each (`copiesOf`), so a report is about its own recipient alone.
 * @param visible addresses in to and cc
 * @param left number of recipients without a result
 */
export function reportsInDoubt(known: KnownRecipients, visible: readonly string[], left: number): ReportsInDoubt {
  if (!known.possible_duplicate && known.status !== 'sending') return { coverAll: false, reached: [] };
  const refused = new Set(known.refused.map(addressKey));
  const hadOneMessage = left === 0 || visible.some((address) => !refused.has(addressKey(address)));
  const coversOthers = known.provider_id === null && known.reached && hadOneMessage;
  return { coverAll: known.deferred_reported ?? coversOthers, reached: known.reported };
}
