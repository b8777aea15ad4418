import { isCertainScanner, isUncertain, type ClassifiedHit } from './hit.js';

/** The number of different links, not counting the one that the scanner itself clicked. */
export const OTHER_LINKS = 2;

/**
 * Finds the hits that a scanner makes around one that identifies it: clicks of several other links, and opens near
 * them. A click of the same link is not changed, because a gateway that checks a link when a person clicks it comes
 * right before the person.
 */
export function hitsAroundScanners(hits: readonly ClassifiedHit[], windowMs: number): Set<ClassifiedHit> {
  const scanners = hits.filter(isCertainScanner).sort(byTime);
  if (scanners.length === 0) return new Set();
  const uncertain = hits.filter(isUncertain).sort(byTime);
  const scanning = scannersOfLinks(scanners, uncertain, windowMs);
  const times = scanning.map(({ at }) => at);
  const timesByLink = new Map<number | null, number[]>();
  for (const { at, position } of scanning) listOf(timesByLink, position).push(at);
  return new Set(
    uncertain.filter(({ at, position }) => {
      const ofSameLink = position === null ? [] : (timesByLink.get(position) ?? []);
      return near(times, at, windowMs) > near(ofSameLink, at, windowMs);
    }),
  );
}

/**
 * The scanners that have clicks of several other links within the window. The window moves along, because an email can
 * have thousands of hits of scanners.
 * @param uncertain in order of time, like the scanners
 */
function scannersOfLinks(
  scanners: readonly ClassifiedHit[],
  uncertain: readonly ClassifiedHit[],
  windowMs: number,
): ClassifiedHit[] {
  const clicks = new Map<number, number>();
  const count = ({ position }: ClassifiedHit, by: 1 | -1): void => {
    if (position === null) return;
    const left = (clicks.get(position) ?? 0) + by;
    if (left > 0) clicks.set(position, left);
    else clicks.delete(position);
  };
  let first = 0;
  let end = 0;
  return scanners.filter(({ at, position }) => {
    while (end < uncertain.length && uncertain[end]!.at <= at + windowMs) count(uncertain[end++]!, 1);
    while (first < end && uncertain[first]!.at < at - windowMs) count(uncertain[first++]!, -1);
    const ownLink = position !== null && clicks.has(position) ? 1 : 0;
    return clicks.size - ownLink >= OTHER_LINKS;
  });
}

/** How many of the times are within the window around one. @param times in order, in whole milliseconds */
function near(times: readonly number[], at: number, windowMs: number): number {
  return placeOf(times, at + windowMs + 1) - placeOf(times, at - windowMs);
}

/** How many of the times are earlier. */
function placeOf(times: readonly number[], time: number): number {
  let first = 0;
  let end = times.length;
  while (first < end) {
    const middle = (first + end) >> 1;
    if (times[middle]! < time) first = middle + 1;
    else end = middle;
  }
  return first;
}

function listOf(lists: Map<number | null, number[]>, key: number | null): number[] {
  let list = lists.get(key);
  if (!list) lists.set(key, (list = []));
  return list;
}

function byTime(one: ClassifiedHit, other: ClassifiedHit): number {
  return one.at - other.at;
}
