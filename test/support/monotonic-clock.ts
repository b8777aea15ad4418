import { jest } from '@jest/globals';

/**
 * Lets each reading of the monotonic clock take a millisecond: work with a time limit gets as far on a slow machine as
 * on a fast one. Restoring all mocks ends it.
 */
export function advanceClockByReadings(): void {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
}
