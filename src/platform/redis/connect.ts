import { Redis } from 'ioredis';
import { findBySentinels, findInCluster } from './find-primary.js';
import { connectorTo } from './primary-connector.js';
import { reconnectOnError } from './reconnection.js';
import type { RedisServers } from './redis-servers.js';

/** Injection token of the connection for short commands (stream appends, result channel, readiness). */
export const REDIS = Symbol('redis');

/** Longest wait for the answer to a short command, so that a hung Redis cannot hang its callers. */
const COMMAND_TIMEOUT_MS = 1_000;

/**
 * For short commands: fails fast while Redis is away or hung, and reconnects for ever in the background.
 * Commands are not queued while disconnected and never sent twice by the client: the caller decides.
 * @param servers the settings that say where Redis is, or the address of a single server
 */
export function connectForCommands(servers: RedisServers | string): Redis {
  const { url, ...options } = optionsFor(servers);
  return new Redis(url, {
    ...options,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
}

/** For blocking reads and subscriptions: waits as long as it takes. */
export function connectForBlocking(servers: RedisServers | string): Redis {
  const { url, ...options } = blockingConnectionOptions(servers);
  return new Redis(url, options);
}

/** The same for libraries that open and close connections of their own. */
export function blockingConnectionOptions(servers: RedisServers | string) {
  return { ...optionsFor(servers), maxRetriesPerRequest: null };
}

function optionsFor(servers: RedisServers | string) {
  const settings = typeof servers === 'string' ? { REDIS_URL: servers } : servers;
  const { REDIS_URL, REDIS_SENTINELS, REDIS_CLUSTER } = settings;
  const find = REDIS_SENTINELS
    ? findBySentinels(REDIS_SENTINELS, settings)
    : REDIS_CLUSTER && findInCluster(REDIS_CLUSTER);
  return { url: REDIS_URL, ...shared, Connector: connectorTo(find) };
}

const shared = {
  lazyConnect: false,
  enableReadyCheck: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  /** Quick at first, then twice a second: a returning Redis is found at once by every process. */
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 500),
  reconnectOnError,
} as const;

/** A connection to Redis, for those who only use one that they are given. */
export type RedisConnection = Redis;
