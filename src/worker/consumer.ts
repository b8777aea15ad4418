/** How every consumer of jobs behaves. */
export const CONSUMER_OPTIONS = {
  // A run is short, but a busy host may stall: losing the lock costs a useless second run.
  lockDuration: 60_000,
  stalledInterval: 15_000,
  // BullMQ must never decide that an email is lost: crashes are counted in Postgres.
  maxStalledCount: 1_000,
  drainDelay: 5,
} as const;
