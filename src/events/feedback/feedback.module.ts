import { Module } from '@nestjs/common';
import { BounceIntakeModule } from './smtp/bounce-intake.module.js';
import { BounceRequestCheck } from './smtp/bounce-request-check.js';
import { BouncesController } from './smtp/bounces.controller.js';
import { CallsByType } from './calls-by-type.js';
import { MailgunCalls } from './mailgun/mailgun-calls.js';
import { MailgunEventsController } from './mailgun/mailgun-events.controller.js';
import { EventAccountRows } from './organization/event-account-rows.js';
import { EventAccounts } from './organization/event-accounts.js';
import { OrganizationEventsCheck } from './organization/organization-events-check.js';
import { OrganizationEventsController } from './organization/organization-events.controller.js';
import { OwnEventLimits } from './organization/own-event-limits.js';
import { OwnMailEvents } from './organization/own-mail-events.js';
import { PostmarkCalls } from './postmark/postmark-calls.js';
import { PostmarkEventsController } from './postmark/postmark-events.controller.js';
import { ProviderEventMetrics } from './provider-event-metrics.js';
import { ProviderEvents } from './provider-events.js';
import { ResendCalls } from './resend/resend-calls.js';
import { ResendEventsController } from './resend/resend-events.controller.js';
import { SendGridCalls } from './sendgrid/sendgrid-calls.js';
import { SendGridEventsController } from './sendgrid/sendgrid-events.controller.js';
import { ServiceEventAccounts } from './service-event-accounts.js';
import { ServiceEvents } from './service-events.js';
import {
  MailgunRequestCheck,
  PostmarkRequestCheck,
  ResendRequestCheck,
  SendGridRequestCheck,
  SesRequestCheck,
} from './service-request-checks.js';
import { CertificatesOfOwners } from './ses/certificates-of-owners.js';
import { SesCalls } from './ses/ses-calls.js';
import { SesEventsController } from './ses/ses-events.controller.js';
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
    OrganizationEventsController,
    BouncesController,
  ],
  providers: [
    ProviderEventMetrics,
    ProviderEvents,
    { provide: SNS_FETCH, useValue: fetchFromSns },
    CertificatesOfOwners,
    SnsSubscriptions,
    SendGridCalls,
    MailgunCalls,
    PostmarkCalls,
    ResendCalls,
    SesCalls,
    CallsByType,
    ServiceEventAccounts,
    ServiceEvents,
    SendGridRequestCheck,
    MailgunRequestCheck,
    PostmarkRequestCheck,
    ResendRequestCheck,
    SesRequestCheck,
    EventAccountRows,
    EventAccounts,
    OrganizationEventsCheck,
    OwnEventLimits,
    OwnMailEvents,
    BounceRequestCheck,
  ],
})
export class FeedbackModule {}
