import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { IdempotencyKeys } from '../emails/idempotency-keys.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { QUEUES, recurringJobs } from '../queue/jobs.js';
import { CONSUMER_OPTIONS } from './consumer.js';
import { EmailRecovery } from './email-recovery.js';

type RecurringJob = keyof typeof recurringJobs;

const RESCHEDULE_MS = 30_000;

/** Runs what happens by itself. A job without a handler, or a handler without a job, does not compile. */
@Processor(QUEUES.recurring, CONSUMER_OPTIONS)
export class RecurringProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private readonly handlers: Record<RecurringJob, () => Promise<void>>;

  constructor(
    recovery: EmailRecovery,
    idempotencyKeys: IdempotencyKeys,
    @InjectQueue(QUEUES.recurring) private readonly queue: Queue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.handlers = {
      'recover-emails': () => recovery.run(),
      'forget-idempotency-keys': () => idempotencyKeys.forgetExpired(),
    };
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
    await this.handlers[job.name as RecurringJob]?.();
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
