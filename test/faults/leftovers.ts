import { readdir } from 'node:fs/promises';
import type { Role } from '../../src/platform/config/settings.js';
import { QUEUE_PREFIX } from '../../src/platform/queue/jobs.js';
import { EVENT_STREAM } from '../../src/events/stream/stream-keys.js';
import type { Testbed } from './testbed/testbed.js';

/**
 * L7: once everything is settled, nothing is left behind: no stream entry, no spool segment, no job except recurring
 * ones, no pending email, no pending webhook, no unexpected dead letter. L6: no process has used more memory than usual
 * for its role, and Redis has not either.
 */
export interface Leftovers {
  readonly streamEntries: number;
  readonly spoolFiles: readonly string[];
  /** Waiting, active and delayed jobs by queue, except recurring ones. */
  readonly jobs: Readonly<Record<string, number>>;
  readonly pendingEmails: number;
  readonly pendingWebhooks: number;
  readonly deadLetters: number;
  readonly redisKeys: number;
  readonly redisMb: number;
  /** The peak of each process. */
  readonly peakMemoryMb: readonly { readonly name: string; readonly role: Role; readonly mb: number }[];
}

export interface Expected {
  readonly deadLetters: number;
  /** Their queues and rate limits may stay in Redis for a while. */
  readonly organizations: number;
  /** What processes may use at most, where that is more than usual. */
  readonly maxMemoryMb?: MaxMemoryMb;
}

export type MaxMemoryMb = Readonly<Partial<Record<Role, number>>>;

/** A third more than what was measured over many runs: see docs/reliability.md. */
const MAX_MEMORY_MB: Readonly<Record<Role, number>> = {
  api: 260,
  tracking: 190,
  worker: 300,
  flusher: 210,
  bounces: 190,
  smtp: 260,
};
const MAX_REDIS_MB = 25;
/** Recurring jobs, queue metadata, positions, pauses. */
const USUAL_REDIS_KEYS = 80;
const KEYS_PER_ORGANIZATION = 10;

export function* leftoverViolations(left: Leftovers, expected: Expected): Iterable<string> {
  if (left.streamEntries > 0) yield `L7: ${left.streamEntries} entries are left in the stream`;
  if (left.spoolFiles.length > 0) yield `L7: ${left.spoolFiles.length} files are left in spools: ${left.spoolFiles[0]}`;
  for (const [queue, jobs] of Object.entries(left.jobs)) if (jobs > 0) yield `L7: ${jobs} jobs are left in ${queue}`;
  if (left.pendingEmails > 0) yield `L7: ${left.pendingEmails} emails are still pending`;
  if (left.pendingWebhooks > 0) yield `L7: ${left.pendingWebhooks} webhooks are still pending`;
  if (left.deadLetters !== expected.deadLetters) {
    yield `L7: there are ${left.deadLetters} dead letters, not ${expected.deadLetters}`;
  }
  const maxKeys = USUAL_REDIS_KEYS + KEYS_PER_ORGANIZATION * expected.organizations;
  if (left.redisKeys > maxKeys) yield `L7: Redis has ${left.redisKeys} keys, more than ${maxKeys}`;
  if (left.redisMb > MAX_REDIS_MB) yield `L7: Redis holds ${left.redisMb} MB, more than ${MAX_REDIS_MB}`;
  for (const { name, role, mb } of left.peakMemoryMb) {
    const maxMb = expected.maxMemoryMb?.[role] ?? MAX_MEMORY_MB[role];
    if (mb > maxMb) yield `L6: ${name} took ${mb} MB, more than ${maxMb}`;
  }
}

export async function findLeftovers(testbed: Testbed): Promise<Leftovers> {
  const [row] = await testbed.database.query<Pick<Leftovers, 'pendingEmails' | 'pendingWebhooks' | 'deadLetters'>>(
    `select (select count(*)::int from pending_emails) as "pendingEmails",
            (select count(*)::int from webhook_deliveries where status = 'pending') as "pendingWebhooks",
            (select count(*)::int from event_dead_letters) as "deadLetters"`,
  );
  const files = await readdir(testbed.spoolDirectory, { recursive: true, withFileTypes: true }).catch(() => []);
  const spoolFiles = files.filter((file) => file.isFile()).map(({ name }) => name);
  const peakMemoryMb = testbed.all.map((service) => {
    service.measure();
    return { name: service.name, role: service.role, mb: service.peakMemoryMb };
  });
  return { ...row!, spoolFiles, peakMemoryMb, ...(await readRedis(testbed)) };
}

function readRedis(testbed: Testbed): Promise<Pick<Leftovers, 'streamEntries' | 'jobs' | 'redisKeys' | 'redisMb'>> {
  return testbed.withRedis(async (redis) => {
    const memory = await redis.info('memory');
    const jobs: Record<string, number> = {};
    for (const queue of ['emails', 'webhooks']) {
      const key = (list: string) => `${QUEUE_PREFIX}:${queue}:${list}`;
      const [waiting, active, prioritized, delayed] = await Promise.all([
        redis.llen(key('wait')),
        redis.llen(key('active')),
        redis.zcard(key('prioritized')),
        redis.zcard(key('delayed')),
      ]);
      jobs[queue] = waiting + active + prioritized + delayed;
    }
    return {
      streamEntries: await redis.xlen(EVENT_STREAM),
      jobs,
      redisKeys: await redis.dbsize(),
      redisMb: Math.round(Number(/^used_memory:(\d+)/m.exec(memory)?.[1]) / 1024 / 1024),
    };
  });
}
