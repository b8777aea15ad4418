import { derivedUuidV7 } from '../platform/clock/uuid-v7.js';

/**
 * The facts that a report can state about a recipient of an email:
 *
 *     deferred      the receiving server wants the message later; the provider keeps trying
 *     delivered     the receiving server accepted the message
 *     bounced       the message was returned, see `bounce`
 *     complained    the recipient reported the message as spam
 *     suppressed    the message was not handed over, because the address is on a suppression list
 *     failed        the provider gave up for a reason that is not about the address
 *     unsubscribed  the recipient wants no more marketing mail
 *     resubscribed  the recipient took that back
 *     noted         stored in the timeline only
 */
export const RECIPIENT_FACTS = [
  'deferred',
  'delivered',
  'bounced',
  'complained',
  'suppressed',
  'failed',
  'unsubscribed',
  'resubscribed',
  'noted',
] as const;

export type RecipientFact = (typeof RECIPIENT_FACTS)[number];

/** Decisions of the recipient, of which the latest by time is in effect. */
export const SUBSCRIPTION_FACTS = ['unsubscribed', 'resubscribed'] as const satisfies readonly RecipientFact[];

/** Hard: the address or its domain does not exist, or never accepts mail. Soft: everything else. */
export const BOUNCE_KINDS = ['hard', 'soft'] as const;

export type BounceKind = (typeof BOUNCE_KINDS)[number];

/** Why mail to an address is suppressed; strongest first. */
export const SUPPRESSION_REASONS = ['complaint', 'bounce', 'manual', 'unsubscribe'] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Reasons that the recipient gave, which outlive the erasure of the address. */
export const ERASED_SUPPRESSION_REASONS = ['complaint', 'unsubscribe'] as const satisfies readonly SuppressionReason[];

/** A report about one recipient of an email: from a provider, from a receiving server or from the recipient. */
export interface RecipientEvent {
  readonly type: 'recipient';
  /** From `recipientEventId`, so that a repeated report has the same ID. */
  readonly id: string;
  /** ID of the email (a UUID) or its tracking ID. */
  readonly email: string;
  /**
   * The address, or its position among the addresses of to, cc and bcc. With a tracking ID, an address means that the
   * report came through a return path that several recipients share, see `boundSharedReports`.
   */
  readonly recipient: string | number;
  readonly fact: RecipientFact;
  /** Only for bounces; absent if the kind is not trustworthy. */
  readonly bounce?: BounceKind;
  /** The entry that the fact adds to the suppression list, if the fact itself does not determine it. */
  readonly suppression?: SuppressionReason;
  /** Enhanced status code, such as 5.1.1 (RFC 3463). */
  readonly smtpStatus?: string;
  /** The sentence of the reporting server. */
  readonly reason?: string;
}

/**
 * The ID of a report: a UUIDv7 at the time of the fact whose random bits derive from the report's own ID.
 * @param occurredAt in milliseconds since 1970
 * @param reportId unique among the reports of its source; the same for repeats
 */
export function recipientEventId(occurredAt: number, reportId: string): string {
  return derivedUuidV7(occurredAt, `recipient:${reportId}`);
}
