import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { LOGGER, type Logger } from '../logging/logger.js';
import { QUEUES, recurringJobs } from '../queue/jobs.js';
import { CONSUMER_OPTIONS } from './consumer.js';
import { RecurringWork, type RecurringJob } from './recurring-work.js';

const RESCHEDULE_MS = 30_000;

/** Runs what happens by itself. */
@Processor(QUEUES.recurring, CONSUMER_OPTIONS)
export class RecurringProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly work: RecurringWork,
    @InjectQueue(QUEUES.recurring) private readonly queue: Queue,
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

  override async process(job: Job): Promise<void> {
    await this.work.handlers[job.name as RecurringJob]?.();
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
}
