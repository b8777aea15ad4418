import { object, optional, integer, type Described } from '../../platform/openapi/schemas.js';
import { RECIPIENT_STATES, stateOf, type RecipientState } from './recipient-state.js';
import { STATE_OF_RECORD } from './recipient-state.sql.js';

/** The number of recipients in each state that occurs. */
export type RecipientCounts = Readonly<Partial<Record<RecipientState, number>>>;

export interface RecipientCountsRow {
  /** Recipients in to, cc and bcc. */
  recipients: number;
  /** Of the recipients with a record; null when there are none. */
  recorded_states: RecipientCounts | null;
}

/**
 * Selects a `RecipientCountsRow` for each of a page of emails `e` with `email_contents c`. A subquery reads the records
 * of each email by their key; a join could read those of all emails.
 */
export const RECIPIENT_COUNTS = `
  cardinality(c.to_addresses) + cardinality(c.cc_addresses) + cardinality(c.bcc_addresses) as recipients,
  (select json_object_agg(state, recipients) from (
     select ${STATE_OF_RECORD} as state, count(*) as recipients from recipient_deliveries r where r.email_id = e.id group by 1
   ) recorded) as recorded_states`;

/** All recipients without a record have the same state, which follows from the status of the email. */
export function toRecipientCounts(status: string, row: RecipientCountsRow): RecipientCounts {
  const counts = row.recorded_states ?? {};
  const others = row.recipients - Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (others <= 0) return counts;
  const state = stateOf(status, undefined);
  return { ...counts, [state]: (counts[state] ?? 0) + others };
}

export const recipientCounts: Described = {
  ...object<RecipientCounts>(
    'RecipientStates',
    'Number of recipients in each state that occurs',
    Object.fromEntries(
      RECIPIENT_STATES.map((state) => [state, optional(integer(`Recipients in the state ${state}`, 1))]),
    ) as Record<RecipientState, ReturnType<typeof optional>>,
  ),
  examples: [{ delivered: 1, bounced: 1 }],
};
