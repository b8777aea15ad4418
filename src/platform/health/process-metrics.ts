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

/** What every process tells of itself, whatever its roles: its needs, its pool, and how far away its services are. */
export function observeProcess(registry: Registry, { clock, readiness, database, redis }: ProcessParts): void {
  registerScrapedGauge<'role' | 'need'>(
    registry,
    {
      name: 'mailbeacon_ready',
      help: '1 where a role has what it needs, else 0',
      labelNames: ['role', 'need'],
    },
    async () => samplesOf((await readiness.report()).roles),
  );
  registerScrapedGauge(
    registry,
    { name: 'mailbeacon_redis_round_trip_seconds', help: 'Time until Redis answered a PING' },
    async () => [{ value: await secondsOf(() => redis.ping()) }],
  );
  registerScrapedGauge(
    registry,
    {
      name: 'mailbeacon_postgres_round_trip_seconds',
      help: 'Time until Postgres answered the smallest query, the wait for a free connection included',
    },
    async () => [{ value: await secondsOf(() => database.query('select 1')) }],
  );
  registerScrapedGauge(
    registry,
    {
      name: 'mailbeacon_clock_skew_seconds',
      help: "How far this host's clock is ahead of that of Postgres; negative where it is behind",
    },
    async () => [{ value: await skewOf(clock, database) }],
  );
  registerScrapedGauge<'kind'>(
    registry,
    {
      name: 'mailbeacon_redis_memory_bytes',
      help: 'Memory that Redis uses, and its maxmemory where it has one: at the limit it takes no more jobs',
      labelNames: ['kind'],
    },
    async () => memoryOf(await redis.info('memory')),
  );
  observePool(registry, database);
}

function memoryOf(information: string) {
  const bytes = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(information)?.[1] ?? 0);
  const [used, limit] = [bytes('used_memory'), bytes('maxmemory')];
  return [
    { labels: { kind: 'used' }, value: used },
    ...(limit > 0 ? [{ labels: { kind: 'limit' }, value: limit }] : []),
  ];
}

function observePool(registry: Registry, { pool }: Database): void {
  registerScrapedGauge<'state'>(
    registry,
    {
      name: 'mailbeacon_postgres_pool',
      help: 'Connections in the pool that are in use or idle, those it may have, and callers that wait for one',
      labelNames: ['state'],
    },
    async () => [
      { labels: { state: 'in-use' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'limit' }, value: pool.options.max },
      // The pool hands out idle connections on the next tick: who gets one of them does not wait.
      { labels: { state: 'waiting' }, value: Math.max(0, pool.waitingCount - pool.idleCount) },
    ],
  );
}

function samplesOf(roles: Record<string, Record<string, string>>) {
  return Object.entries(roles).flatMap(([role, needs]) =>
    Object.entries(needs).map(([need, outcome]) => ({ labels: { role, need }, value: outcome === 'ok' ? 1 : 0 })),
  );
}

/** By the middle of the request: half of its time is as much as the answer may be wrong. */
async function skewOf(clock: Clock, database: Database): Promise<number> {
  const askedAt = clock.now();
  const [row] = await database.query<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now');
  return (askedAt + clock.now()) / 2000 - row!.now;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
