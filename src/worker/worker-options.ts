/** How every consumer of jobs behaves. */
export const CONSUMER_OPTIONS = {
  // A run whose worker died starts anew after both. A busy host may stall: losing the lock costs a useless second run.
  lockDuration: 20_000,
  stalledInterval: 10_000,
  // BullMQ must never decide that an email is lost: crashes are counted in Postgres.
  maxStalledCount: 1_000,
  drainDelay: 5,
} as const;
