import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { QUEUES, type Jobs } from '../../platform/queue/jobs.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { ProviderSlots } from '../../emails/delivery/provider-slots.js';
import { SendRun } from '../../emails/delivery/send-run.js';
import { monitored } from './bullmq-overrides/monitored-worker.js';
import { CONSUMER_OPTIONS } from './worker-options.js';

/** Connects BullMQ to a delivery: the run decides, and this class only moves the job. */
@Processor(QUEUES.emails, CONSUMER_OPTIONS)
export class SendEmailProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly sendRun: SendRun,
    private readonly slots: ProviderSlots,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.settings.WORKER_CONCURRENCY;
  }

  /** Takes no new job and finishes the running ones while their dependencies still exist. */
  async onModuleDestroy(): Promise<void> {
    const closed = this.worker.close();
    this.slots.stop();
    await closed;
  }

  override async process(job: Job<Jobs['send-email']>, token?: string): Promise<void> {
    const { emailId } = job.data;
    const laterMs = await this.tracing.follow({ emailId, name: 'send-email', kind: 'consumer' }, () =>
      this.sendRun.run(job.data, job.stalledCounter),
    );
    if (laterMs === undefined) return;
    // Attempts are counted in Postgres, not in BullMQ.
    await monitored(this.worker).putOff(job, laterMs, token);
    throw new DelayedError();
  }

  /** A failed job leaves its email queued or leased; recovery queues it again. */
  @OnWorkerEvent('failed')
  onFailed(job: Job<Jobs['send-email']> | undefined, error: Error): void {
    this.logger.error({ emailId: job?.data.emailId, err: error }, 'An email job failed');
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn({ err: error }, 'Error on the delivery queue');
  }
}
