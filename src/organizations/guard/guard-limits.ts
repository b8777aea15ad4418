import type { GuardLimits } from './guard-verdict.js';

/** The share of recipients at which a state applies; null means never. */
export interface GuardLimitView {
  readonly warned: number | null;
  readonly slowed: number | null;
  readonly paused: number | null;
}

export interface GuardLimitsView {
  /** Minimum number of recipients in a window for the limits to apply. */
  readonly minSent: number;
  readonly bounced: GuardLimitView;
  readonly complained: GuardLimitView;
}

export function viewGuardLimits(limits: GuardLimits): GuardLimitsView {
  const view = (fact: 'BOUNCE' | 'COMPLAINT'): GuardLimitView => ({
    warned: shown(limits[`GUARD_${fact}_WARN`]),
    slowed: shown(limits[`GUARD_${fact}_SLOW`]),
    paused: shown(limits[`GUARD_${fact}_PAUSE`]),
  });
  return { minSent: limits.GUARD_MIN_SENT, bounced: view('BOUNCE'), complained: view('COMPLAINT') };
}

/** A limit of 1 turns the step off. */
const shown = (limit: number): number | null => (limit < 1 ? limit : null);
