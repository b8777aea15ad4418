import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { QUEUES, recurringJobs } from '../../platform/queue/jobs.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { CONSUMER_OPTIONS } from './worker-options.js';
import { RecurringHandlers, type RecurringJob } from './recurring-handlers.js';

const RESCHEDULE_MS = 5_000;
/** How far the next run may deviate from its schedule. */
const SCHEDULE_MARGIN_MS = 5_000;
/** One slot per job, so that none waits for another. */
const CONCURRENCY = Object.keys(recurringJobs).length;

/** Runs the recurring jobs. */
@Processor(QUEUES.recurring, { ...CONSUMER_OPTIONS, concurrency: CONCURRENCY })
export class RecurringProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private isScheduled = false;
  private readonly running = new Set<string>();
  private readonly requestedAgain = new Set<string>();

  constructor(
    private readonly work: RecurringHandlers,
    @InjectQueue(QUEUES.recurring) private readonly queue: Queue,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Repeats, because an emptied Redis has lost the schedule. */
  onApplicationBootstrap(): void {
    void this.schedule();
    this.timer = setInterval(() => void this.schedule(), RESCHEDULE_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.worker.close();
  }

  /** A job that arrives during its own run triggers one more run, so a slow job occupies only one slot. */
  override async process({ name }: Job): Promise<void> {
    this.requestedAgain.add(name);
    if (this.running.has(name)) return;
    this.running.add(name);
    try {
      while (this.requestedAgain.delete(name)) await this.work.handlers[name as RecurringJob]?.();
    } finally {
      this.running.delete(name);
    }
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    this.logger.error({ job: job?.name, err: error }, 'A recurring job failed');
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.debug({ err: error }, 'Error on the queue of recurring jobs');
  }

  /**
   * Ends early and silently once the processor stops: its connection is closed then, and the next start schedules
   * again. Writing a schedule takes about ten Redis commands and reading it one, so all schedules are written only the
   * first time.
   */
  private async schedule(): Promise<void> {
    try {
      const { runs, now } = await this.nextRuns();
      for (const [name, { everyMs }] of Object.entries(recurringJobs)) {
        if (this.stopping.signal.aborted) return;
        const state = stateOf(runs.get(name), now, everyMs);
        if (state === 'right' && this.isScheduled) continue;
        if (state === 'too late') {
          this.logger.warn({ job: name }, 'A worker whose clock is ahead delayed a recurring job; rescheduling it');
          await this.queue.removeJobScheduler(name);
        }
        await this.queue.upsertJobScheduler(
          name,
          { every: everyMs },
          { name, opts: { removeOnComplete: true, removeOnFail: true } },
        );
      }
      this.isScheduled = true;
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.logger.error({ err: error }, 'Could not schedule the recurring jobs');
    }
  }

  /**
   * When each job runs next. By the Redis clock, so that a worker whose clock is behind does not undo a correct
   * schedule.
   */
  private async nextRuns(): Promise<{ readonly runs: ReadonlyMap<string, number>; readonly now: number }> {
    const [schedulers, [seconds]] = await Promise.all([this.queue.getJobSchedulers(), this.redis.time()]);
    return {
      runs: new Map(schedulers.map(({ key, next }) => [key, next ?? 0])),
      now: Number(seconds) * 1000,
    };
  }
}

/**
 * A run that is overdue may have lost its job. A run that is scheduled too late comes from a worker whose clock is
 * ahead, and no other worker would run it earlier.
 */
function stateOf(next: number | undefined, now: number, everyMs: number): 'missing' | 'overdue' | 'right' | 'too late' {
  if (next === undefined) return 'missing';
  if (next < now - SCHEDULE_MARGIN_MS) return 'overdue';
  return next > now + everyMs + SCHEDULE_MARGIN_MS ? 'too late' : 'right';
}
