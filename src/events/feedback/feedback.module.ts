import { Module } from '@nestjs/common';
import { BounceIntakeModule } from './smtp/bounce-intake.module.js';
import { BounceRequestCheck } from './smtp/bounce-request-check.js';
import { BouncesController } from './smtp/bounces.controller.js';
import { MailgunEventsController } from './mailgun/mailgun-events.controller.js';
import { MailgunRequestCheck } from './mailgun/mailgun-request-check.js';
import { PostmarkEventsController } from './postmark/postmark-events.controller.js';
import { PostmarkRequestCheck } from './postmark/postmark-request-check.js';
import { ProviderEventMetrics } from './provider-event-metrics.js';
import { ProviderEvents } from './provider-events.js';
import { ResendEventsController } from './resend/resend-events.controller.js';
import { ResendRequestCheck } from './resend/resend-request-check.js';
import { SendGridEventsController } from './sendgrid/sendgrid-events.controller.js';
import { SendGridEvents } from './sendgrid/sendgrid-events.js';
import { SendGridRequestCheck } from './sendgrid/sendgrid-request-check.js';
import { SesEventsController } from './ses/ses-events.controller.js';
import { SesRequestCheck } from './ses/ses-request-check.js';
import { SnsCertificates } from './ses/sns-certificates.js';
import { fetchFromSns, SNS_FETCH } from './ses/sns-fetch.js';
import { SnsSubscriptions } from './ses/sns-subscriptions.js';

/** Routes for providers and mail servers that report what happens to mail. */
@Module({
  imports: [BounceIntakeModule],
  controllers: [
    SendGridEventsController,
    MailgunEventsController,
    PostmarkEventsController,
    ResendEventsController,
    SesEventsController,
    BouncesController,
  ],
  providers: [
    ProviderEventMetrics,
    ProviderEvents,
    SendGridEvents,
    SendGridRequestCheck,
    MailgunRequestCheck,
    PostmarkRequestCheck,
    ResendRequestCheck,
    { provide: SNS_FETCH, useValue: fetchFromSns },
    SnsCertificates,
    SnsSubscriptions,
    SesRequestCheck,
    BounceRequestCheck,
  ],
})
export class FeedbackModule {}
