import { corroborated } from '../../verdict.js';
import type { HandedOver, ClassifiedHit, RuleWindows } from './hit.js';

/**
 * How long before the hand-over a hit may be: as long as a provider takes to accept, and as clocks differ. A still
 * earlier one shows that the recorded time is wrong.
 */
export const BEFORE_HAND_OVER_MS = 60_000;

/**
 * True for a hit right after the hand-over, or shortly before it: gateways fetch while they still receive. A hit with a
 * weak sign of a machine has a longer window. Before the hand-over of an email with several attempts, a person may
 * react to an earlier attempt, so such a hit is not instant.
 */
export function isInstant(hit: ClassifiedHit, { sentAt, isOnlyAttempt }: HandedOver, windows: RuleWindows): boolean {
  if (sentAt === null) return false;
  const { ENGAGEMENT_INSTANT_MS: plain, ENGAGEMENT_CORROBORATED_MS: withWeakSign } = windows;
  const after = hit.at - sentAt;
  if (after < (isOnlyAttempt ? -BEFORE_HAND_OVER_MS : 0)) return false;
  if (plain > 0 && after < plain) return true;
  return withWeakSign > 0 && after < withWeakSign && corroborated(hit.verdict) !== undefined;
}
