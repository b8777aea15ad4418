import { recordKey, type Consequences } from './apply-reports.js';
import { FACT_RULES, HARD_BIT } from './fact-rules.js';
import { factBits, type RecipientRecord } from './recipient-state.js';
import type { Report } from './reported-emails.js';

/** Facts that count for the sending guard, or decide how far reports about other recipients are trusted. */
const GUARDED_BITS = FACT_RULES.bounced.bit | FACT_RULES.complained.bit | HARD_BIT;

/**
 * Each of them has a second bit, this much higher, in `recipient_deliveries.facts`: set while it was only reported when
 * the organization's own provider had the email. An organization can make such reports itself. Once a provider of the
 * service has the email, they must not hide what is reported then.
 */
const OWN_SHIFT = 7;

/** The facts without those of own providers, unless one has the email. */
export function factsThatCount(facts: number, isOwn: boolean): number {
  return isOwn ? facts : facts & ~((facts >> OWN_SHIFT) & GUARDED_BITS);
}

/**
 * Notes in the changed records which facts are only known from own providers.
 * @param before the stored records by `recordKey`
 */
export function markOwnFacts(
  { records }: Consequences,
  reports: readonly Report[],
  before: ReadonlyMap<string, RecipientRecord>,
): void {
  const reported = new Map<string, number>();
  for (const { email, address, event } of reports) {
    const key = recordKey(email.id, address);
    reported.set(key, (reported.get(key) ?? 0) | factBits(event.fact, event.bounce));
  }
  for (const [key, changed] of records) {
    const { facts } = changed.record;
    const isNew = facts & ~(before.get(key)?.facts ?? 0) & GUARDED_BITS;
    const isReported = (reported.get(key) ?? 0) & GUARDED_BITS;
    const marked = changed.of.email.isOwn ? facts | (isNew << OWN_SHIFT) : facts & ~(isReported << OWN_SHIFT);
    if (marked !== facts) changed.record = { ...changed.record, facts: marked };
  }
}
