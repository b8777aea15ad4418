import type { Database } from '../../src/platform/database/database.js';
import { recurringJobs, type RecurringJob } from '../../src/platform/queue/jobs.js';
import { RECURRING_RUNS_KEY } from '../../src/platform/queue/recurring-runs.js';
import { WORK_KEY } from '../../src/platform/queue/work-notifications.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import { eventually } from './eventually.js';

/** Inserts expired rows for every job that deletes some. */
export async function insertOldRows(owner: Database): Promise<void> {
  const statements = [
    `select create_event_partition('events', '2020-01-01')`,
    `insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
     values (gen_random_uuid(), 1, '2020-01-15', 'opened', gen_random_uuid(), 1)`,
    `update event_history set kept_from = date_trunc('month', now()) - interval '3 months', moved_at = now() - interval '2 hours'`,
    `insert into event_dead_letters (id, stream_entry_id, payload, reason, created_at)
     values (gen_random_uuid(), '1-1', 'x', 'malformed', now() - interval '9 days')`,
    `insert into audit_entries (id, at, actor_kind, actor_id, action, target_kind)
     values (gen_random_uuid(), now() - interval '2 years', 'operator', 'root', 'key.created', 'key')`,
    `update idempotency_keys set created_at = now() - interval '2 days'`,
    `update webhook_deliveries set created_at = created_at - interval '90 days',
       finished_at = finished_at - interval '90 days'`,
    `update attachment_contents set used_at = now() - interval '9 days'`,
    'update body_retention set after_id = $$00000000-0000-0000-0000-000000000000$$',
    `insert into provider_domain_removals (provider_domain_id, domain) values ('1', 'x.example')`,
    `update sending_domains set recheck_at = now() - interval '1 s'`,
    `update people_walk set rounds_left = 1, due_at = now() - interval '1 s'`,
    `update stats_walk set due_at = now() - interval '1 s'`,
  ];
  for (const statement of statements) await owner.query(statement);
}

/** Makes a recurring job due, and wakes a worker. */
export async function requestRun(redis: RedisConnection, job: RecurringJob): Promise<void> {
  await redis.multi().hset(RECURRING_RUNS_KEY, job, 0).zadd(WORK_KEY, 0, 'recurring').exec();
}

/** When a job runs next, in milliseconds since 1970, once a requested run has started. */
export async function startedRun(redis: RedisConnection, job: RecurringJob): Promise<number | false> {
  const next = Number(await redis.hget(RECURRING_RUNS_KEY, job));
  return next > 0 && next;
}

/** Runs end at multiples of their interval; while one is under way, it has a lease until another time. */
export async function hasRunEnded(redis: RedisConnection, job: RecurringJob): Promise<boolean> {
  const next = await startedRun(redis, job);
  return next !== false && next % recurringJobs[job].everyMs === 0;
}

/** Runs each of these recurring jobs once, by default all, and waits until they have ended. */
export async function runRecurringJobs(
  redisUrl: string,
  jobs = Object.keys(recurringJobs) as RecurringJob[],
): Promise<void> {
  const redis = connectForBlocking(redisUrl);
  try {
    for (const job of jobs) await requestRun(redis, job);
    for (const job of jobs) await eventually(() => hasRunEnded(redis, job), 60_000);
  } finally {
    redis.disconnect();
  }
}
