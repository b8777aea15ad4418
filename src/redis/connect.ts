import { Redis } from 'ioredis';

/** Injection token of the connection for short commands (stream appends, result channel, readiness). */
export const REDIS = Symbol('redis');

/** Longest wait for the answer to a short command, so that a hung Redis cannot hang its callers. */
const COMMAND_TIMEOUT_MS = 1_000;

/**
 * For short commands: fails fast while Redis is away or hung, and reconnects for ever in the background.
 * Commands are not queued while disconnected and never sent twice by the client: the caller decides.
 */
export function connectForCommands(url: string): Redis {
  return new Redis(url, {
    ...shared,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
}

/** For blocking reads and subscriptions: waits as long as it takes. */
export function connectForBlocking(url: string): Redis {
  return new Redis(url, { ...shared, maxRetriesPerRequest: null });
}

/** The same for libraries that open and close connections of their own. */
export function blockingConnectionOptions(url: string) {
  return { url, ...shared, maxRetriesPerRequest: null };
}

const shared = {
  lazyConnect: false,
  enableReadyCheck: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  /** Quick at first, then twice a second: a returning Redis is found at once by every process. */
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 500),
} as const;

/** A connection to Redis, for those who only use one that they are given. */
export type RedisConnection = Redis;
