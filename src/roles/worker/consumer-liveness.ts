import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Liveness } from '../../platform/health/liveness.js';
import { DispatchFeeder } from '../../emails/dispatch/dispatch-feeder.js';
import { BroadcastRunner } from '../../broadcasts/sending/broadcast-runner.js';
import { RecurringRunner } from './recurring-runner.js';
import { SendEmailProcessor } from './send-email.processor.js';
import { monitored } from './bullmq-overrides/monitored-worker.js';
import { WebhookProcessor } from './webhook.processor.js';

/** Reports the process as alive only while its consumers fetch jobs. */
@Injectable()
export class ConsumerLiveness implements OnApplicationBootstrap {
  constructor(
    private readonly liveness: Liveness,
    private readonly emails: SendEmailProcessor,
    private readonly webhooks: WebhookProcessor,
    private readonly recurring: RecurringRunner,
    private readonly feeder: DispatchFeeder,
    private readonly broadcasts: BroadcastRunner,
  ) {}

  onApplicationBootstrap(): void {
    this.liveness.watch('dispatch', () => this.feeder.lastProgressAt);
    this.liveness.watch('broadcasts', () => this.broadcasts.lastProgressAt);
    this.liveness.watch('recurring jobs', () => this.recurring.lastProgressAt);
    for (const { worker } of [this.emails, this.webhooks]) {
      const consumer = monitored(worker);
      this.liveness.watch(`jobs of ${consumer.name}`, () => consumer.lastProgressAt);
    }
  }
}
