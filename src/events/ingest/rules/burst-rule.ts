import type { ClassifiedClick } from './hit.js';

/** The number of different links that a person does not click within the window. */
export const BURST_LINKS = 3;

/** Finds the clicks that belong to several different links within the window. @param clicks in order of time */
export function burstsOf(clicks: readonly ClassifiedClick[], windowMs: number): ClassifiedClick[] {
  const bursts: ClassifiedClick[] = [];
  const byPosition = new Map<number, number>();
  let from = 0;
  let found = 0;
  for (const [index, { at, position }] of clicks.entries()) {
    byPosition.set(position, (byPosition.get(position) ?? 0) + 1);
    while (at - clicks[from]!.at > windowMs) {
      const { position: left } = clicks[from++]!;
      const count = byPosition.get(left)! - 1;
      if (count > 0) byPosition.set(left, count);
      else byPosition.delete(left);
    }
    if (byPosition.size < BURST_LINKS) continue;
    bursts.push(...clicks.slice(Math.max(from, found), index + 1));
    found = index + 1;
  }
  return bursts;
}
