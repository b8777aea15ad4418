import { Redis } from 'ioredis';
import { findBySentinels, findInCluster } from './find-primary.js';
import { timeOutAfterReading } from './ioredis-overrides/command-timeout.js';
import { connectorTo } from './ioredis-overrides/primary-connector.js';
import { reconnectOnError } from './reconnection.js';
import type { RedisServers } from './redis-servers.js';

/** Injection token of the connection for short commands (stream appends, result channel, readiness). */
export const REDIS = Symbol('redis');

/** Timeout of a short command, so that a hung Redis cannot hang its callers. */
const COMMAND_TIMEOUT_MS = 1_000;

timeOutAfterReading();

/**
 * Connects for short commands. Fails fast while Redis is down or hung, and reconnects forever in the background.
 * The client neither queues commands while disconnected nor resends them: the caller decides.
 * @param servers the Redis settings, or the URL of a single server
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

/** Connects for blocking reads and subscriptions, without timeouts. */
export function connectForBlocking(servers: RedisServers | string): Redis {
  const { url, ...options } = blockingConnectionOptions(servers);
  return new Redis(url, options);
}

/** The same options for libraries that manage their own connections. */
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
  /** Retries quickly at first, then twice a second, so that every process finds a recovered Redis at once. */
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 500),
  reconnectOnError,
} as const;

/** A Redis connection, for code that receives one rather than opening it. */
export type RedisConnection = Redis;
