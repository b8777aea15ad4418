import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { QUEUE_PREFIX, recurringJobs, type RecurringJob } from './jobs.js';

/** A hash: when each job runs next, in milliseconds since 1970 by the clock of Redis. */
export const RECURRING_RUNS_KEY = `${QUEUE_PREFIX}:recurring-runs`;
/**
 * Another process repeats the run of one that died after this time. Must exceed the time between two
 * calls of `takeDue`.
 */
const LEASE_MS = 30_000;

/**
 * ARGV: lease, then for each job its name, interval, and whether the caller is running it. All runs of an interval fall
 * on the same moments, so that a process wakes up once for them. No lease ends at such a moment: only a run that has
 * ended has one. A time further away than the interval was set by a server whose clock was ahead.
 */
const TAKE_DUE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease, names = tonumber(ARGV[1]), {}
for at = 2, #ARGV, 3 do names[#names + 1] = ARGV[at] end
local function lease_end(at, every) return at % every == 0 and at + 1 or at end
local planned = redis.call('HMGET', KEYS[1], unpack(names))
local soonest, due = math.huge, {}
for index, name in ipairs(names) do
  local every, running = tonumber(ARGV[index * 3]), ARGV[index * 3 + 1] == '1'
  local before = tonumber(planned[index] or 0)
  local after = before
  if before <= now or before > now + every then
    due[#due + 1] = name
    after = now - now % every + every
    if every > lease then after = lease_end(math.min(after, now + lease), every) end
  elseif running and every > lease then
    after = lease_end(now + lease, every)
  end
  if after ~= before then redis.call('HSET', KEYS[1], name, after) end
  soonest = math.min(soonest, after - now)
end
return {soonest, due}
`;

/** ARGV: name and interval of a job whose run has ended. A run that was requested meanwhile stays due. */
const END = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if lease > now then redis.call('HSET', KEYS[1], ARGV[1], now - now % ARGV[2] + ARGV[2]) end
`;

/** When the recurring jobs run, for all workers together. An emptied Redis runs each of them at once. */
@Injectable()
export class RecurringRuns {
  constructor(@Inject(REDIS) private readonly redis: RedisConnection) {}

  /**
   * Takes the runs whose time has come; no other process gets them.
   * @param running jobs that this process is running, which stay with it
   */
  async takeDue(running: ReadonlySet<RecurringJob>): Promise<{ due: RecurringJob[]; nextInMs: number }> {
    const jobs = Object.entries(recurringJobs).flatMap(([name, { everyMs }]) => [
      name,
      everyMs,
      running.has(name as RecurringJob) ? 1 : 0,
    ]);
    const [nextInMs, due] = (await this.redis.eval(TAKE_DUE, 1, RECURRING_RUNS_KEY, LEASE_MS, ...jobs)) as [
      number,
      RecurringJob[],
    ];
    return { due, nextInMs };
  }

  /** Until then, the run counts as under way, and is repeated if its process dies. */
  async end(job: RecurringJob): Promise<void> {
    const { everyMs } = recurringJobs[job];
    if (everyMs > LEASE_MS) await this.redis.eval(END, 1, RECURRING_RUNS_KEY, job, everyMs);
  }
}
