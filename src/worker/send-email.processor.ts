import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { QUEUES, type Jobs } from '../queue/jobs.js';
import { announceResult } from '../queue/result-channel.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { EmailDelivery } from './email-delivery.js';
import { CONSUMER_OPTIONS } from './consumer.js';

/** The shell between BullMQ and a delivery: the delivery decides, this only moves the job. */
@Processor(QUEUES.emails, CONSUMER_OPTIONS)
export class SendEmailProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly delivery: EmailDelivery,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.settings.WORKER_CONCURRENCY;
  }

  /** Takes no new job and finishes the ones at hand, while everything they need is still there. */
  async onModuleDestroy(): Promise<void> {
    await this.worker.close();
  }

  override async process(job: Job<Jobs['send-email']>, token?: string): Promise<void> {
    const { emailId, replyTo } = job.data;
    const settled = await this.delivery.run(emailId);
    if (settled.kind === 'later') {
      // Counts no attempt in BullMQ: attempts are counted in Postgres.
      await job.moveToDelayed(Date.now() + settled.delayMs, token);
      throw new DelayedError();
    }
    if (settled.final && replyTo) await this.tell(replyTo, emailId);
  }

  /** A job that ended in an error left its email queued or leased: recovery brings it back. */
  @OnWorkerEvent('failed')
  onFailed(job: Job<Jobs['send-email']> | undefined, error: Error): void {
    this.logger.error({ emailId: job?.data.emailId, err: error }, 'A delivery run broke off');
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn({ err: error }, 'The delivery queue is in trouble');
  }

  private async tell(replyTo: string, emailId: string): Promise<void> {
    try {
      await announceResult(this.redis, replyTo, emailId);
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'The waiting API could not be told');
    }
  }
}
