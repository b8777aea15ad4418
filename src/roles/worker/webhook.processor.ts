import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnModuleDestroy } from '@nestjs/common';
import type { Job } from 'bullmq';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { QUEUES, type Jobs } from '../../platform/queue/jobs.js';
import { logQueueError } from './queue-error.js';
import { CONSUMER_OPTIONS } from './worker-options.js';
import { WebhookDispatcher } from '../../webhooks/delivery/webhook-dispatcher.js';

/** Jobs only wake the dispatcher, and concurrent wakes share one statement. */
const CONCURRENCY = 50;

/** Connects BullMQ to the dispatcher: a job ends when the dispatcher accepts its delivery, however long that takes. */
@Processor(QUEUES.webhooks, { ...CONSUMER_OPTIONS, concurrency: CONCURRENCY })
export class WebhookProcessor extends WorkerHost implements OnModuleDestroy {
  constructor(
    private readonly dispatcher: WebhookDispatcher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  async onModuleDestroy(): Promise<void> {
    await this.worker.close();
  }

  override async process(job: Job<Jobs['deliver-webhook']>): Promise<void> {
    await this.dispatcher.wake(job.data.deliveryId);
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job<Jobs['deliver-webhook']> | undefined, error: Error): void {
    this.logger.error(
      { deliveryId: job?.data.deliveryId, err: error },
      'Could not wake a webhook delivery; the sweep finds it',
    );
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    logQueueError(this.logger, error, 'Error on the webhook queue');
  }
}
