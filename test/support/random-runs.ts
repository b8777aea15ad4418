/** How often a property is checked, and with which random values, as options of `fc.assert`. */
export interface RandomRuns {
  readonly numRuns: number;
  /** Absent for random values: fast-check prints the seed of a run that fails. */
  readonly seed?: number;
}

/** Always the same runs, so that the suite is reproducible, or `RANDOM_RUNS` runs with random values. */
export function randomRuns(seed: number, numRuns: number): RandomRuns {
  const wanted = process.env.RANDOM_RUNS;
  return wanted === undefined ? { seed, numRuns } : { numRuns: Number(wanted) };
}
