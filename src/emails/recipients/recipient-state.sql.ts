import { BY_STRENGTH, type RecipientState } from './recipient-state.js';
import { FACT_RULES, SUPPRESSED_BEFORE_BIT } from './fact-rules.js';

/** `stateOf` for a row of `recipient_deliveries r` of `emails e`. */
export const STATE_OF_RECORD = `case
  ${BY_STRENGTH.map((fact) => `when r.facts & ${FACT_RULES[fact].bit} <> 0 then '${fact}'`).join(' ')}
  when r.state = 'accepted' then 'sent' when r.state = 'refused' or e.status = 'failed' then 'failed'
  when e.status = 'canceled' then 'canceled' when e.status in ('sent', 'tracked') then 'failed' else 'deferred' end`;

/** The statuses of an email whose recipients without a record have the state. */
const WITHOUT_RECORD: Readonly<Partial<Record<RecipientState, string>>> = {
  pending: "e.status not in ('sent', 'tracked', 'failed', 'canceled')",
  sent: "e.status in ('sent', 'tracked')",
  failed: "e.status = 'failed'",
  canceled: "e.status = 'canceled'",
};

/**
 * True for `emails e` with a recipient in the state. Without `offset 0`, which changes nothing, the planner may read
 * all records of all emails first.
 */
export function hasRecipientIn(state: RecipientState): string {
  const record = `exists (
    select from recipient_deliveries r where r.email_id = e.id and ${STATE_OF_RECORD} = '${state}' offset 0)`;
  const status = WITHOUT_RECORD[state];
  if (status === undefined) return record;
  return `(${record} or (${status} and (select count(*) from recipient_deliveries r where r.email_id = e.id) < (
    select cardinality(c.to_addresses) + cardinality(c.cc_addresses) + cardinality(c.bcc_addresses)
      from email_contents c where c.email_id = e.id)))`;
}

const { suppressed, deferred, failed, delivered, bounced, complained } = FACT_RULES;

/** True for a row of `recipient_deliveries r` on whose recipient the provider has reported. */
export const IS_REPORTED = `r.facts & ${deferred.bit | failed.bit | delivered.bit | bounced.bit | complained.bit} <> 0`;

/** True for a row of `recipient_deliveries r` whose state is `suppressed`. */
export const IS_SUPPRESSED = `r.facts & ${suppressed.bit | delivered.bit | bounced.bit | complained.bit} = ${suppressed.bit}`;

/** Assignments that end the state `suppressed` of a row of `recipient_deliveries r`, if it has it. */
export const FORGET_SUPPRESSION = `
    facts = case when ${IS_SUPPRESSED} then r.facts - ${suppressed.bit} | ${SUPPRESSED_BEFORE_BIT} else r.facts end,
    reason = case when ${IS_SUPPRESSED} then null else r.reason end,
    fact_at = case when ${IS_SUPPRESSED} then null else r.fact_at end`;
