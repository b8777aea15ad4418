import type { ClassifiedClick } from './hit.js';

/** Fewer links can be clicked in order by chance. */
const FEWEST_LINKS = 3;

/**
 * Finds the clicks of every run over all links in their order, from the first to the last one within the window.
 * Other clicks in between change nothing.
 * @param linkCount tracked links of the email
 */
export function runsOverAllLinks(
  clicks: readonly ClassifiedClick[],
  linkCount: number,
  windowMs: number,
): ClassifiedClick[] {
  if (linkCount < FEWEST_LINKS) return [];
  const inOrder = clicks.filter(({ position }) => position < linkCount).sort(byTimeAndPosition);
  const starts = latestStarts(inOrder);
  const ends = earliestEnds(inOrder.toReversed(), linkCount - 1);
  return inOrder.filter((click) => ends.get(click)! - starts.get(click)! <= windowMs);
}

/** True when clicks of these links may contain a run: the links are the first ones, without a gap. */
export function mayRunOverAllLinks(positions: ReadonlySet<number>): boolean {
  if (positions.size < FEWEST_LINKS) return false;
  return Math.max(...positions) === positions.size - 1;
}

/** The latest start of a run from the first link to each click. */
function latestStarts(clicks: readonly ClassifiedClick[]): ReadonlyMap<ClassifiedClick, number> {
  const best = new Map<number, number>();
  return new Map(
    clicks.map((click) => {
      const start = click.position === 0 ? click.at : (best.get(click.position - 1) ?? -Infinity);
      best.set(click.position, Math.max(start, best.get(click.position) ?? -Infinity));
      return [click, start];
    }),
  );
}

/** The earliest end of a run from each click to the last link. @param clicks the latest first */
function earliestEnds(clicks: readonly ClassifiedClick[], last: number): ReadonlyMap<ClassifiedClick, number> {
  const best = new Map<number, number>();
  return new Map(
    clicks.map((click) => {
      const end = click.position === last ? click.at : (best.get(click.position + 1) ?? Infinity);
      best.set(click.position, Math.min(end, best.get(click.position) ?? Infinity));
      return [click, end];
    }),
  );
}

/** At the same time, the clicks of a run count in the order of their links. */
function byTimeAndPosition(one: ClassifiedClick, other: ClassifiedClick): number {
  return one.at - other.at || one.position - other.position;
}
