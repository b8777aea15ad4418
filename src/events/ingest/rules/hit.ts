import { verdictOf, type VerdictCode } from '../../verdict.js';

/** An open or a click of an email, as the rules of time and order see it. */
export interface ClassifiedHit {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Of the clicked link; null for an open. */
  readonly position: number | null;
  readonly verdict: VerdictCode;
  /** True for the clicks of one link in a sum, at the time of its first hit. */
  readonly isSummed?: boolean;
}

export interface ClassifiedClick extends ClassifiedHit {
  readonly position: number;
}

/** Facts about an email that rules need. */
export interface HandedOver {
  /** When the provider accepted it, in milliseconds since the Unix epoch; null when that is not known. */
  readonly sentAt: number | null;
  /** True when no earlier attempt may have reached a recipient. */
  readonly isOnlyAttempt: boolean;
}

/** How close hits must be to each other or to the hand-over, in milliseconds; 0 switches a rule off. */
export interface RuleWindows {
  readonly ENGAGEMENT_INSTANT_MS: number;
  readonly ENGAGEMENT_CORROBORATED_MS: number;
  readonly ENGAGEMENT_BURST_MS: number;
  readonly ENGAGEMENT_ALL_LINKS_MS: number;
  readonly ENGAGEMENT_AROUND_SCANNER_MS: number;
}

export const ALL_RULES_OFF: RuleWindows = {
  ENGAGEMENT_INSTANT_MS: 0,
  ENGAGEMENT_CORROBORATED_MS: 0,
  ENGAGEMENT_BURST_MS: 0,
  ENGAGEMENT_ALL_LINKS_MS: 0,
  ENGAGEMENT_AROUND_SCANNER_MS: 0,
};

/** In milliseconds. */
export function longestWindow(windows: RuleWindows): number {
  return Math.max(
    ...[windows.ENGAGEMENT_INSTANT_MS, windows.ENGAGEMENT_CORROBORATED_MS, windows.ENGAGEMENT_BURST_MS],
    ...[windows.ENGAGEMENT_ALL_LINKS_MS, windows.ENGAGEMENT_AROUND_SCANNER_MS],
  );
}

/**
 * Rules only use and change hits with a probable verdict. This holds for a hit before and after a rule has changed it,
 * so the rules find the same matches, whether or not verdicts were changed before.
 */
export function isUncertain({ verdict }: Pick<ClassifiedHit, 'verdict'>): boolean {
  return verdictOf(verdict).certainty === 'probable';
}

export function isCertainScanner({ verdict }: Pick<ClassifiedHit, 'verdict'>): boolean {
  const { class: name, certainty } = verdictOf(verdict);
  return name === 'scanner' && certainty === 'certain';
}

/** In order of time. */
export function uncertainClicks(hits: readonly ClassifiedHit[]): ClassifiedClick[] {
  return hits
    .filter((hit): hit is ClassifiedClick => hit.position !== null && isUncertain(hit))
    .sort((a, b) => a.at - b.at);
}
