import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { EventSum, SingleEvent } from '../engagement-event.js';
import { NO_SIGN, type VerdictCode } from '../verdict.js';
import { mergedRanges, type TimeRange } from './earlier-hits.js';
import type { EventOfEmail } from './event-rows.js';
import { unsignedClicks, type SumOfEmail } from './event-sums.js';
import type { KnownEmail } from './lock-emails.js';
import { OTHER_LINKS } from './rules/around-scanner-rule.js';
import { BURST_LINKS } from './rules/burst-rule.js';
import { BEFORE_HAND_OVER_MS } from './rules/instant-rule.js';
import { isCertainScanner, type ClassifiedHit, type RuleWindows } from './rules/hit.js';

/** A hand-over that is recorded still later has no effect on verdicts: a repeat of its event must not read all hits. */
const RECORDED_WITHIN_MS = 86_400_000;

/** The new events of one email, and whether a rule of time or order could match them. */
export class NewHits {
  private sources: Map<ClassifiedHit, EventOfEmail> | undefined;
  private readonly summed = new Map<ClassifiedHit, SumOfEmail>();
  private clicks = 0;
  private hasScanner = false;
  private isHandedOver = false;
  private earliestId = '';

  constructor(readonly email: KnownEmail) {}

  /** Records an event, which is enough to know whether a rule could match. */
  count({ type, id }: SingleEvent, verdict: VerdictCode): void {
    if (type === 'sent') {
      this.isHandedOver = true;
      return;
    }
    if (type === 'clicked') this.clicks++;
    if (verdict !== NO_SIGN && isCertainScanner({ verdict })) this.hasScanner = true;
    if (this.earliestId === '' || id < this.earliestId) this.earliestId = id;
  }

  /** Opens in sums may be those of a certain proxy, so the rules do not see them. */
  countSum(sum: EventSum): void {
    const links = unsignedClicks(sum).length;
    this.clicks += links;
    if (links > 0 && (this.earliestId === '' || sum.id < this.earliestId)) this.earliestId = sum.id;
  }

  /** Adds an event for the rules. */
  add(source: EventOfEmail): void {
    const { event, verdict } = source;
    if (event.type === 'sent') return;
    const position = event.type === 'clicked' ? event.linkPosition : null;
    this.sources ??= new Map();
    this.sources.set({ id: event.id, at: timeOfUuidV7(event.id), position, verdict }, source);
  }

  /** Adds one click for each link of a sum. */
  addSum(sum: SumOfEmail): void {
    const { id } = sum.event;
    for (const { linkPosition: position } of unsignedClicks(sum.event)) {
      this.summed.set({ id, at: timeOfUuidV7(id), position, verdict: NO_SIGN, isSummed: true }, sum);
    }
  }

  get hits(): readonly ClassifiedHit[] {
    return [...(this.sources?.keys() ?? []), ...this.summed.keys()];
  }

  /** Changes the verdict of a new event. @returns false for a hit that is not among the new ones */
  change(hit: ClassifiedHit, verdict: VerdictCode): boolean {
    const source = this.sources?.get(hit);
    if (source) source.verdict = verdict;
    const sum = this.summed.get(hit);
    sum?.scanned.add(hit.position!);
    return source !== undefined || sum !== undefined;
  }

  /** False for most emails: the fields of the locked row are enough to rule out every rule. */
  mayMatch(windows: RuleWindows): boolean {
    const { sentAt } = this.email;
    const isSoon = sentAt !== null && this.earliestId !== '' && this.earliestAt < sentAt + longestAfterSending(windows);
    if (isSoon || this.clicks >= BURST_LINKS || (this.hasMachines && this.clicks >= OTHER_LINKS)) return true;
    return this.isJustHandedOver || this.isNearEarlierHits(windows);
  }

  /** The time ranges in which stored hits may match a rule together with new ones. */
  earlierHits(windows: RuleWindows): TimeRange[] {
    const { email } = this;
    const ranges: { from: number; until: number }[] = [];
    if (this.isJustHandedOver) ranges.push(this.beforeHandOverWasKnown(windows));
    if (this.isNearEarlierHits(windows)) {
      const reach = reachOf(windows);
      for (const { at } of this.hits) ranges.push({ from: at - reach, until: at + reach });
    }
    return mergedRanges(ranges).map((range) => ({ email, ...range }));
  }

  /**
   * Hits for which the time of sending was not known when they were stored, nor, for runs over all links, the links.
   */
  private beforeHandOverWasKnown(windows: RuleWindows): Omit<TimeRange, 'email'> {
    const { sentAt, firstClickAt, lastClickAt } = this.email;
    const [from, until] = [sentAt! - BEFORE_HAND_OVER_MS, sentAt! + longestAfterSending(windows)];
    if (windows.ENGAGEMENT_ALL_LINKS_MS === 0) return { from, until };
    return {
      from: Math.max(sentAt! - RECORDED_WITHIN_MS, Math.min(from, firstClickAt ?? from)),
      until: Math.min(sentAt! + RECORDED_WITHIN_MS, Math.max(until, lastClickAt ?? until)),
    };
  }

  private get earliestAt(): number {
    return timeOfUuidV7(this.earliestId);
  }

  private get hasMachines(): boolean {
    return this.hasScanner || this.email.machineOpens + this.email.machineClicks > 0;
  }

  /** True when hits were stored before the time of the hand-over was known. */
  private get isJustHandedOver(): boolean {
    return this.isHandedOver && this.email.sentAt !== null && this.email.opens + this.email.clicks > 0;
  }

  /** Bursts and runs need a stored click near a new one; hits around a scanner may also be stored opens. */
  private isNearEarlierHits(windows: RuleWindows): boolean {
    const { email, clicks } = this;
    if (this.earliestId === '' || email.clicks + clicks < OTHER_LINKS) return false;
    const isNear = email.lastClickAt !== null && this.earliestAt <= email.lastClickAt + reachOf(windows);
    if (clicks > 0 && isNear && email.clicks + clicks >= BURST_LINKS) return true;
    return this.hasMachines && (isNear || (clicks >= OTHER_LINKS && email.opens > 0));
  }
}

function longestAfterSending({ ENGAGEMENT_INSTANT_MS, ENGAGEMENT_CORROBORATED_MS }: RuleWindows): number {
  return Math.max(ENGAGEMENT_INSTANT_MS, ENGAGEMENT_CORROBORATED_MS);
}

/** Hits of one match are at most twice the longest window apart: one on each side of a scanner's hit. */
function reachOf(windows: RuleWindows): number {
  const { ENGAGEMENT_BURST_MS, ENGAGEMENT_ALL_LINKS_MS, ENGAGEMENT_AROUND_SCANNER_MS } = windows;
  return 2 * Math.max(ENGAGEMENT_BURST_MS, ENGAGEMENT_ALL_LINKS_MS, ENGAGEMENT_AROUND_SCANNER_MS);
}
