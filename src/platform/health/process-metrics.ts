import type { Registry } from 'prom-client';
import type { Clock } from '../clock/clock.js';
import type { Database } from '../database/database.js';
import type { RedisConnection } from '../redis/connect.js';
import { registerScrapedGauge } from './scraped-gauge.js';
import type { Readiness } from './readiness.js';

export interface ProcessParts {
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly database: Database;
  readonly redis: RedisConnection;
}

/** Metrics of every process, independent of its roles: dependencies and round-trip times. */
export function observeProcess(registry: Registry, { clock, readiness, database, redis }: ProcessParts): void {
  registerScrapedGauge<'role' | 'need'>(
    registry,
    {
      name: 'mailbeacon_ready',
      help: '1 if a dependency of the role is available, otherwise 0',
      labelNames: ['role', 'need'],
    },
    async () => samplesOf((await readiness.report()).roles),
  );
  registerScrapedGauge(
    registry,
    { name: 'mailbeacon_redis_round_trip_seconds', help: 'Round-trip time of a Redis PING' },
    async () => [{ value: await secondsOf(() => redis.ping()) }],
  );
  registerScrapedGauge(
    registry,
    {
      name: 'mailbeacon_postgres_round_trip_seconds',
      help: 'Round-trip time of a minimal Postgres query, including the wait for a free connection',
    },
    async () => [{ value: await secondsOf(() => database.query('select 1')) }],
  );
  registerScrapedGauge(
    registry,
    {
      name: 'mailbeacon_clock_skew_seconds',
      help: "Difference between this host's clock and the Postgres clock; positive if this host is ahead",
    },
    async () => [{ value: await skewOf(clock, database) }],
  );
  registerScrapedGauge<'kind'>(
    registry,
    {
      name: 'mailbeacon_redis_memory_bytes',
      help: 'Memory used by Redis, and its maxmemory if set; at the limit Redis rejects new jobs',
      labelNames: ['kind'],
    },
    async () => memoryOf(await redis.info('memory')),
  );
}

function memoryOf(information: string) {
  const bytes = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(information)?.[1] ?? 0);
  const [used, limit] = [bytes('used_memory'), bytes('maxmemory')];
  return [
    { labels: { kind: 'used' }, value: used },
    ...(limit > 0 ? [{ labels: { kind: 'limit' }, value: limit }] : []),
  ];
}

/**
 * Metrics of the connection pool. Register them before every gauge that queries Postgres: a scrape reads gauges in the
 * order of their registration, and its own queries must not look like callers that wait for a connection.
 */
export function observePool(registry: Registry, { pool }: Database): void {
  registerScrapedGauge<'state'>(
    registry,
    {
      name: 'mailbeacon_postgres_pool',
      help: 'Pool connections in use and idle, the pool limit, and callers waiting for a connection',
      labelNames: ['state'],
    },
    async () => [
      { labels: { state: 'in-use' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'limit' }, value: pool.options.max },
      // The pool hands out idle connections on the next tick, so callers that get one of those do not count as waiting.
      { labels: { state: 'waiting' }, value: Math.max(0, pool.waitingCount - pool.idleCount) },
    ],
  );
}

function samplesOf(roles: Record<string, Record<string, string>>) {
  return Object.entries(roles).flatMap(([role, needs]) =>
    Object.entries(needs).map(([need, outcome]) => ({ labels: { role, need }, value: outcome === 'ok' ? 1 : 0 })),
  );
}

/** Compares with the midpoint of the request. The error is at most half of the round-trip time. */
async function skewOf(clock: Clock, database: Database): Promise<number> {
  const startedAt = clock.now();
  const [row] = await database.query<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now');
  return (startedAt + clock.now()) / 2000 - row!.now;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
