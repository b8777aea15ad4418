import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { QUEUES, type JobName, type Jobs } from '../../platform/queue/jobs.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { ProviderSlots } from '../../emails/delivery/concurrency/provider-slots.js';
import { OrganizationSlots } from '../../emails/delivery/organizations/organization-slots.js';
import { SendRun } from '../../emails/delivery/send-run.js';
import { monitored } from './bullmq-overrides/monitored-worker.js';
import { BatchRun } from '../../emails/delivery/batch-run.js';
import { logQueueError } from './queue-error.js';
import { CONSUMER_OPTIONS } from './worker-options.js';

type SendJob = Job<Jobs['send-email']> | Job<Jobs['send-emails-together']>;

function isBatch(job: SendJob): job is Job<Jobs['send-emails-together']> {
  return job.name === ('send-emails-together' satisfies JobName);
}

/** Connects BullMQ to a delivery: the run decides, and this class only moves the job. */
@Processor(QUEUES.emails, CONSUMER_OPTIONS)
export class SendEmailProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly sendRun: SendRun,
    private readonly batchRun: BatchRun,
    private readonly slots: ProviderSlots,
    private readonly organizationSlots: OrganizationSlots,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    super();
  }

  /**
   * Jobs beyond the slots wait for one, and their emails are prepared meanwhile. Jobs that hold slots of organizations
   * take no place from others.
   */
  onApplicationBootstrap(): void {
    // BullMQ reads the limit only when a job arrives or ends. Jobs that hold slots of organizations must not reach it.
    const jobs = Math.max(2 * this.settings.WORKER_CONCURRENCY, this.organizationSlots.capacity + 1);
    this.worker.concurrency = jobs;
    this.organizationSlots.onChange = (held) => (this.worker.concurrency = jobs + held);
  }

  /** Takes no new job and finishes the running ones while their dependencies still exist. */
  async onModuleDestroy(): Promise<void> {
    const closed = this.worker.close();
    this.slots.stop();
    this.organizationSlots.stop();
    await closed;
  }

  override async process(job: SendJob, token?: string): Promise<void> {
    const laterMs = await (isBatch(job) ? this.sendBatch(job) : this.send(job));
    if (laterMs === undefined) return;
    // Attempts are counted in Postgres, not in BullMQ.
    await monitored(this.worker).putOff(job, laterMs, token);
    throw new DelayedError();
  }

  private send(job: Job<Jobs['send-email']>): Promise<number | undefined> {
    const { emailId } = job.data;
    return this.tracing.follow({ emailId, name: 'send-email', kind: 'consumer' }, () =>
      this.sendRun.run(job.data, job.stalledCounter),
    );
  }

  private async sendBatch(job: Job<Jobs['send-emails-together']>): Promise<number | undefined> {
    const { laterMs, emailIds } = await this.batchRun.run(job.data, job.stalledCounter);
    if (laterMs !== undefined && emailIds.length < job.data.emailIds.length) await job.updateData({ emailIds });
    return laterMs;
  }

  /** A failed job leaves its email queued or leased; recovery queues it again. */
  @OnWorkerEvent('failed')
  onFailed(job: SendJob | undefined, error: Error): void {
    this.logger.error({ ...job?.data, err: error }, 'An email job failed');
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    logQueueError(this.logger, error, 'Error on the delivery queue');
  }
}
