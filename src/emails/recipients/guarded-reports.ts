import type { SendingDelta } from '../../organizations/guard/count-sending.js';
import { recordKey, type Consequences } from './apply-reports.js';
import { FACT_RULES, HARD_BIT } from './fact-rules.js';
import { factsThatCount } from './own-facts.js';
import type { RecipientRecord } from './recipient-state.js';

/**
 * Hard bounces and complaints that count for the sending rates, each recipient once. A recipient that was refused is
 * not among those that the email went to, so it counts as sent to together with its bounce: no rate exceeds 100 %.
 * @param before the stored records by `recordKey`
 */
export function guardedReports(
  { records }: Consequences,
  before: ReadonlyMap<string, RecipientRecord>,
): SendingDelta[] {
  return [...records.values()].flatMap(({ of, record }) => {
    if (of.email.isOwn) return [];
    const known = factsThatCount(before.get(recordKey(of.email.id, of.address))?.facts ?? 0, false);
    const counted = factsThatCount(record.facts, false) & ~known;
    const isNew = (bit: number): 0 | 1 => ((counted & bit) === 0 ? 0 : 1);
    const [bounced, complained] = [isNew(HARD_BIT), isNew(FACT_RULES.complained.bit)];
    const sent = record.handOver === 'refused' ? bounced : 0;
    return bounced + complained > 0 ? [{ emailId: of.email.id, isOurs: true, sent, bounced, complained }] : [];
  });
}
