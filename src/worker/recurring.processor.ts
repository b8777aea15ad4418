import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { QUEUES, recurringJobs } from '../platform/queue/jobs.js';
import { REDIS, type RedisConnection } from '../platform/redis/connect.js';
import { CONSUMER_OPTIONS } from './worker-options.js';
import { RecurringHandlers, type RecurringJob } from './recurring-handlers.js';

const RESCHEDULE_MS = 5_000;
/** A run that is planned for so much later than it could be was planned by a clock that is wrong. */
const PLANNING_MARGIN_MS = 5_000;
/** One place for each, so that none waits for another. */
const CONCURRENCY = Object.keys(recurringJobs).length;

/** Runs what happens by itself. */
@Processor(QUEUES.recurring, { ...CONSUMER_OPTIONS, concurrency: CONCURRENCY })
export class RecurringProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private readonly running = new Set<string>();
  private readonly wantedAgain = new Set<string>();

  constructor(
    private readonly work: RecurringHandlers,
    @InjectQueue(QUEUES.recurring) private readonly queue: Queue,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Again and again, because a Redis that was emptied has forgotten the schedule. */
  onApplicationBootstrap(): void {
    void this.schedule();
    this.timer = setInterval(() => void this.schedule(), RESCHEDULE_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.worker.close();
  }

  /** A job that comes while it still runs has it run once more: however long one takes, it fills one place only. */
  override async process({ name }: Job): Promise<void> {
    this.wantedAgain.add(name);
    if (this.running.has(name)) return;
    this.running.add(name);
    try {
      while (this.wantedAgain.delete(name)) await this.work.handlers[name as RecurringJob]?.();
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
    this.logger.debug({ err: error }, 'The queue of recurring jobs is in trouble');
  }

  private async schedule(): Promise<void> {
    for (const [name, { everyMs }] of Object.entries(recurringJobs)) {
      try {
        if (await this.isPutOff(name, everyMs)) await this.queue.removeJobScheduler(name);
        await this.queue.upsertJobScheduler(
          name,
          { every: everyMs },
          { name, opts: { removeOnComplete: true, removeOnFail: true } },
        );
      } catch (error) {
        this.logger.error({ job: name, err: error }, 'Could not schedule a recurring job');
      }
    }
  }
  /**
   * A worker whose clock is ahead plans the next run by that clock, and nobody else would run it before. By the clock
   * of Redis: one that is behind must not undo what is right.
   */
  private async isPutOff(name: string, everyMs: number): Promise<boolean> {
    const next = (await this.queue.getJobScheduler(name))?.next;
    if (next === undefined) return false;
    const [seconds] = await this.redis.time();
    const isPutOff = next > Number(seconds) * 1000 + everyMs + PLANNING_MARGIN_MS;
    if (isPutOff)
      this.logger.warn({ job: name }, 'A worker whose clock is ahead put a recurring job off; planning anew');
    return isPutOff;
  }
}
