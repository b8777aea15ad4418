import { randomInt } from 'node:crypto';
import { jest } from '@jest/globals';

const VARIABLE = 'RANDOM_RUNS';

/**
 * Parameters of `fc.assert`: always the same few runs; with RANDOM_RUNS that many from a new seed, which a failure
 * prints, and as much time as they take: call it before the tests, because the timeout of a running one is set.
 */
export function randomRuns(seed: number, numRuns: number): { seed: number; numRuns: number } {
  const wanted = process.env[VARIABLE];
  if (wanted === undefined) return { seed, numRuns };
  if (!/^[1-9]\d*$/.test(wanted)) throw new Error(`${VARIABLE} must be a number of runs, not "${wanted}"`);
  jest.setTimeout(2 ** 31 - 1);
  return { seed: randomInt(2 ** 31), numRuns: Number(wanted) };
}
