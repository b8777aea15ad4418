import type { Sql } from '../../platform/database/database.js';
import type { VerdictCode } from '../verdict.js';
import { countLinks, findEarlierHits } from './earlier-hits.js';
import type { EventOfEmail } from './event-rows.js';
import type { SumOfEmail } from './event-sums.js';
import type { KnownEmail } from './lock-emails.js';
import { NewHits } from './new-hits.js';
import { mayRunOverAllLinks } from './rules/all-links-rule.js';
import { uncertainClicks, type ClassifiedHit, type RuleWindows } from './rules/hit.js';
import { classifyHits } from './rules/classify-hits.js';

/** A stored hit whose verdict changes. */
export interface Relabelling {
  readonly hit: ClassifiedHit;
  readonly email: KnownEmail;
  readonly verdict: VerdictCode;
}

/**
 * Applies the rules of time and order to new events and sums, together with the stored events around them. It changes
 * the verdicts of new events, and marks the scanned links of sums, in place. The caller has locked the emails.
 * @returns the stored hits whose verdicts change
 */
export async function classifyEvents(
  sql: Sql,
  events: readonly EventOfEmail[],
  sums: readonly SumOfEmail[],
  windows: RuleWindows,
): Promise<Relabelling[]> {
  const suspects = suspectsAmong(events, sums, windows);
  if (suspects.length === 0) return [];
  const relabellings: Relabelling[] = [];
  const earlier = await findEarlierHits(
    sql,
    suspects.flatMap((group) => group.earlierHits(windows)),
  );
  const cases = suspects.map((group) => ({ group, hits: [...group.hits, ...(earlier.get(group.email.id) ?? [])] }));
  const linkCounts = await countLinks(
    sql,
    cases.flatMap(({ group, hits }) => emailWithRun(group, hits, windows)),
  );
  for (const { group, hits } of cases) {
    const { email } = group;
    const { sentAt, isOnlyAttempt } = email;
    const facts = { sentAt, isOnlyAttempt, linkCount: linkCounts.get(email.id) ?? 0 };
    for (const [hit, verdict] of classifyHits(hits, facts, windows)) {
      if (!group.change(hit, verdict)) relabellings.push({ hit, email, verdict });
    }
  }
  return relabellings;
}

/** The emails that a rule could match, with their new hits. Most emails have so few that a count is enough. */
function suspectsAmong(events: readonly EventOfEmail[], sums: readonly SumOfEmail[], windows: RuleWindows): NewHits[] {
  const groups = new Map<string, NewHits>();
  const groupOf = (email: KnownEmail): NewHits => {
    let group = groups.get(email.id);
    if (!group) groups.set(email.id, (group = new NewHits(email)));
    return group;
  };
  for (const { event, email, verdict } of events) groupOf(email).count(event, verdict);
  for (const { event, email } of sums) groupOf(email).countSum(event);
  const suspects = new Map([...groups].filter(([, group]) => group.mayMatch(windows)));
  if (suspects.size > 0) for (const event of events) suspects.get(event.email.id)?.add(event);
  if (suspects.size > 0) for (const sum of sums) suspects.get(sum.email.id)?.addSum(sum);
  return [...suspects.values()];
}

/** The ID of an email if its number of links matters. */
function emailWithRun({ email }: NewHits, hits: readonly ClassifiedHit[], windows: RuleWindows): string[] {
  if (windows.ENGAGEMENT_ALL_LINKS_MS === 0) return [];
  const positions = new Set(uncertainClicks(hits.filter(({ isSummed }) => !isSummed)).map(({ position }) => position));
  return mayRunOverAllLinks(positions) ? [email.id] : [];
}
