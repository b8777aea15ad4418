import { nextState, type DomainState } from '../../src/domains/domain-state.js';
import type { Ownership } from '../../src/domains/ownership.js';

const DAY_MS = 86_400_000;
const verified: DomainState = { status: 'verified', missingSince: null, unansweredSince: null };

/** The status after checks on certain days. */
function after(...checks: readonly [day: number, ownership: Ownership][]): string {
  return checks.reduce((state, [day, ownership]) => nextState(state, ownership, new Date(day * DAY_MS)), verified)
    .status;
}

describe('a verified domain', () => {
  it('falls back once its record was missing for three days', () => {
    expect(after([0, 'missing'], [1, 'missing'], [2.9, 'missing'])).toBe('verified');
    expect(after([0, 'missing'], [1, 'missing'], [3, 'missing'])).toBe('pending');
  });

  it('starts again when the record was found in between', () => {
    expect(after([0, 'missing'], [2, 'seen'], [3, 'missing'], [5, 'missing'])).toBe('verified');
  });

  it('is not missing while DNS does not respond, until two weeks are over', () => {
    expect(after([0, 'unanswered'], [4, 'missing'])).toBe('verified');
    expect(after([0, 'missing'], [4, 'unanswered'])).toBe('verified');
    expect(after([0, 'unanswered'], [13.9, 'unanswered'])).toBe('verified');
    expect(after([0, 'unanswered'], [14, 'unanswered'])).toBe('pending');
  });
});

it('a pending domain becomes verified by being seen alone', () => {
  const pending: DomainState = { ...verified, status: 'pending' };
  for (const ownership of ['missing', 'unanswered'] as const) {
    expect(nextState(pending, ownership, new Date())).toEqual(pending);
  }
  expect(nextState(pending, 'seen', new Date())).toEqual(verified);
});
