import { isCertainScanner, isUncertain, type ClassifiedHit } from './hit.js';

/** The number of different links, not counting the one that the scanner itself clicked. */
export const OTHER_LINKS = 2;

/**
 * Finds the hits that a scanner makes around one that identifies it: clicks of several other links, and opens near
 * them. A click of the same link is not changed, because a gateway that checks a link when a person clicks it comes
 * right before the person.
 */
export function hitsAroundScanners(hits: readonly ClassifiedHit[], windowMs: number): Set<ClassifiedHit> {
  const found = new Set<ClassifiedHit>();
  const scanners = hits.filter(isCertainScanner);
  if (scanners.length === 0) return found;
  const uncertain = hits.filter(isUncertain).sort((a, b) => a.at - b.at);
  for (const scanner of scanners) {
    const around = within(uncertain, scanner.at - windowMs, scanner.at + windowMs).filter(
      ({ position }) => position === null || position !== scanner.position,
    );
    const links = new Set(around.flatMap(({ position }) => position ?? []));
    if (links.size >= OTHER_LINKS) for (const hit of around) found.add(hit);
  }
  return found;
}

/** @param hits in order of time */
function within(hits: readonly ClassifiedHit[], from: number, until: number): readonly ClassifiedHit[] {
  let first = 0;
  let end = hits.length;
  while (first < end) {
    const middle = (first + end) >> 1;
    if (hits[middle]!.at < from) first = middle + 1;
    else end = middle;
  }
  let last = first;
  while (last < hits.length && hits[last]!.at <= until) last++;
  return hits.slice(first, last);
}
