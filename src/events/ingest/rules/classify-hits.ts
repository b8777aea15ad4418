import { SUM_INTERVAL_MS } from '../../engagement-event.js';
import { codeOfVerdict, corroborated, NO_SIGN, type VerdictCode } from '../../verdict.js';
import { runsOverAllLinks } from './all-links-rule.js';
import { hitsAroundScanners } from './around-scanner-rule.js';
import { burstsOf } from './burst-rule.js';
import { uncertainClicks, isUncertain, type HandedOver, type ClassifiedHit, type RuleWindows } from './hit.js';
import { isInstant } from './instant-rule.js';

const scanner = (reason: string): VerdictCode => codeOfVerdict({ class: 'scanner', reason, certainty: 'probable' });

const BURST = scanner('timing:burst');
const ALL_LINKS = scanner('order:all-links');
const AROUND_SCANNER = scanner('timing:around-scanner');
const INSTANT = scanner('timing:instant');

/** Where several rules match, the last of these is the reason. */
const STRENGTH = [NO_SIGN, BURST, ALL_LINKS, AROUND_SCANNER, INSTANT];

export interface ClassifiedEmail extends HandedOver {
  /** Tracked links; 0 when that is not known. */
  readonly linkCount: number;
}

/**
 * Applies the rules of time and order to hits of one email.
 *
 * A rule that matches among some hits also matches among more of them, and a verdict only ever becomes stronger. So the
 * final verdicts depend only on the hits, not on the batches in which they arrived. Sums are an exception: they are not
 * stored link by link, so later hits do not find them.
 * @returns the new verdicts of hits that change
 */
export function classifyHits(
  hits: readonly ClassifiedHit[],
  email: ClassifiedEmail,
  windows: RuleWindows,
): Map<ClassifiedHit, VerdictCode> {
  const changed = new Map<ClassifiedHit, VerdictCode>();
  const strengthen = (matches: Iterable<ClassifiedHit>, code: VerdictCode): void => {
    for (const hit of matches) {
      const stronger = strongerOf(changed.get(hit) ?? hit.verdict, code);
      if (stronger !== undefined) changed.set(hit, stronger);
    }
  };
  const {
    ENGAGEMENT_BURST_MS: burst,
    ENGAGEMENT_ALL_LINKS_MS: allLinks,
    ENGAGEMENT_AROUND_SCANNER_MS: aroundScanner,
  } = windows;
  // The exact time and the order of summed hits are not known.
  const single = hits.filter(({ isSummed }) => !isSummed);
  const clicks = uncertainClicks(single);
  if (burst > 0) strengthen(burstsOf(burst < SUM_INTERVAL_MS ? clicks : uncertainClicks(hits), burst), BURST);
  if (allLinks > 0) strengthen(runsOverAllLinks(clicks, email.linkCount, allLinks), ALL_LINKS);
  if (aroundScanner > 0) strengthen(hitsAroundScanners(single, aroundScanner), AROUND_SCANNER);
  strengthen(
    hits.filter((hit) => isUncertain(hit) && isInstant(hit, email, windows)),
    INSTANT,
  );
  return changed;
}

/** A weak sign names the machine better than the rule that confirms it. */
function strongerOf(verdict: VerdictCode, code: VerdictCode): VerdictCode | undefined {
  const machine = corroborated(verdict);
  if (machine !== undefined) return machine;
  const strength = STRENGTH.indexOf(verdict);
  return strength !== -1 && strength < STRENGTH.indexOf(code) ? code : undefined;
}
