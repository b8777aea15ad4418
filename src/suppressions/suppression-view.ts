import { SUPPRESSION_REASONS, type SuppressionReason } from '../events/recipient-event.js';

/** An address that the organization must not write to: all its mail, or only marketing mail. */
export interface SuppressionView {
  readonly address: string;
  /** The strongest reason of the address. */
  readonly reason: SuppressionReason;
  readonly scope: 'all' | 'marketing';
  /** The email that caused the suppression. */
  readonly emailId: string | null;
  readonly note: string | null;
  readonly createdAt: string;
}

export interface SuppressionRow {
  address_key: string;
  address: string;
  reason: SuppressionReason;
  email_id: string | null;
  note: string | null;
  created_at: Date;
}

/** SQL that ranks a reason: a lower number is stronger. @param column a column or expression with the reason */
export function strengthOf(column: string): string {
  return `array_position('{${SUPPRESSION_REASONS.join(',')}}'::text[], ${column})`;
}

export function isSuppressionReason(value: unknown): value is SuppressionReason {
  return SUPPRESSION_REASONS.some((reason) => reason === value);
}

export function toSuppressionView(row: SuppressionRow): SuppressionView {
  return {
    address: row.address,
    reason: row.reason,
    // The strongest reason decides the scope, because `unsubscribe` is the weakest.
    scope: row.reason === 'unsubscribe' ? 'marketing' : 'all',
    emailId: row.email_id,
    note: row.note,
    createdAt: row.created_at.toISOString(),
  };
}
