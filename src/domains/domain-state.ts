import type { DomainStatus } from './domain-row.js';
import type { Ownership } from './ownership.js';

const DAY_MS = 86_400_000;
/** How long a verified domain may lack its record. */
const MISSING_GRACE_MS = 3 * DAY_MS;
/**
 * How long DNS may not respond for a verified domain. Longer than for a missing record, because it may be an outage.
 */
const UNANSWERED_GRACE_MS = 14 * DAY_MS;
const RECHECK_MS = DAY_MS;
/** Interval of checks while DNS does not respond. */
const RECHECK_UNANSWERED_MS = 3_600_000;

export interface DomainState {
  readonly status: DomainStatus;
  readonly missingSince: Date | null;
  readonly unansweredSince: Date | null;
}

/**
 * Returns the state of a domain after a check. Pending domains have nothing to lose, so their failures are not counted.
 */
export function nextState(state: DomainState, ownership: Ownership, now: Date): DomainState {
  const pending: DomainState = { status: 'pending', missingSince: null, unansweredSince: null };
  switch (ownership) {
    case 'seen':
      return { status: 'verified', missingSince: null, unansweredSince: null };
    case 'missing': {
      const missingSince = state.missingSince ?? now;
      const isOver = now.getTime() - missingSince.getTime() >= MISSING_GRACE_MS;
      return state.status === 'pending' || isOver
        ? pending
        : { status: 'verified', missingSince, unansweredSince: null };
    }
    case 'unanswered': {
      const unansweredSince = state.unansweredSince ?? now;
      const isOver = now.getTime() - unansweredSince.getTime() >= UNANSWERED_GRACE_MS;
      return state.status === 'pending' || isOver ? pending : { ...state, unansweredSince };
    }
  }
}

/** Time of the next automatic check of a verified domain. */
export function nextRecheck(ownership: Ownership, now: Date): Date {
  return new Date(now.getTime() + (ownership === 'unanswered' ? RECHECK_UNANSWERED_MS : RECHECK_MS));
}
