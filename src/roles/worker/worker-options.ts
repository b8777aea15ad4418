/** The options of every job consumer. */
export const CONSUMER_OPTIONS = {
  // If a worker dies, its job restarts after both times. A busy host may stall: a lost lock costs only a useless
  // second run.
  lockDuration: 20_000,
  stalledInterval: 10_000,
  // BullMQ must never give up on an email: crashes are counted in Postgres.
  maxStalledCount: 1_000,
  drainDelay: 5,
} as const;
