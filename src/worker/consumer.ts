/** Under this key `worker.module.ts` registers the connection that consumers block on. */
export const CONSUMER_CONFIG = 'consumer';

export const CONSUMER_OPTIONS = {
  configKey: CONSUMER_CONFIG,
  worker: {
    // A run is short, but a busy host may stall: losing the lock costs a useless second run.
    lockDuration: 60_000,
    stalledInterval: 15_000,
    // BullMQ must never decide that an email is lost: crashes are counted in Postgres.
    maxStalledCount: 1_000,
    drainDelay: 5,
  },
} as const;
