import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { QUEUES, recurringJobs } from '../../platform/queue/jobs.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { CONSUMER_OPTIONS } from './worker-options.js';
import { RecurringHandlers, type RecurringJob } from './recurring-handlers.js';

const RESCHEDULE_MS = 5_000;
/** A run scheduled later than its interval plus this margin was scheduled by a wrong clock. */
const SCHEDULE_MARGIN_MS = 5_000;
/** One slot per job, so that none waits for another. */
const CONCURRENCY = Object.keys(recurringJobs).length;

/** Runs the recurring jobs. */
@Processor(QUEUES.recurring, { ...CONSUMER_OPTIONS, concurrency: CONCURRENCY })
export class RecurringProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
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

  /** Ends early and silently once the processor stops: its connection closes then, and the next start schedules again. */
  private async schedule(): Promise<void> {
    for (const [name, { everyMs }] of Object.entries(recurringJobs)) {
      if (this.stopping.signal.aborted) return;
      try {
        if (await this.isTooLate(name, everyMs)) await this.queue.removeJobScheduler(name);
        await this.queue.upsertJobScheduler(
          name,
          { every: everyMs },
          { name, opts: { removeOnComplete: true, removeOnFail: true } },
        );
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.logger.error({ job: name, err: error }, 'Could not schedule a recurring job');
      }
    }
  }

  /**
   * A worker whose clock is ahead schedules the next run too late, and no other worker runs it earlier. Compares with
   * the Redis clock, so that a worker whose clock is behind does not undo a correct schedule.
   */
  private async isTooLate(name: string, everyMs: number): Promise<boolean> {
    const next = (await this.queue.getJobScheduler(name))?.next;
    if (next === undefined) return false;
    const [seconds] = await this.redis.time();
    const isTooLate = next > Number(seconds) * 1000 + everyMs + SCHEDULE_MARGIN_MS;
    if (isTooLate)
      this.logger.warn({ job: name }, 'A worker whose clock is ahead delayed a recurring job; rescheduling it');
    return isTooLate;
  }
}
