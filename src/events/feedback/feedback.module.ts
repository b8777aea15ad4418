import { Module } from '@nestjs/common';
import { ProviderEventMetrics } from './provider-event-metrics.js';
import { SendGridEventsController } from './sendgrid/sendgrid-events.controller.js';
import { SendGridEvents } from './sendgrid/sendgrid-events.js';
import { SendGridRequestCheck } from './sendgrid/sendgrid-request-check.js';

/** Routes for the providers that report what becomes of mail. */
@Module({
  controllers: [SendGridEventsController],
  providers: [ProviderEventMetrics, SendGridEvents, SendGridRequestCheck],
})
export class FeedbackModule {}
