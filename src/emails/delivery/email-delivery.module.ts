import { Module } from '@nestjs/common';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { DeliverableEmails } from './deliverable-emails.js';
import { DeliveryState } from './delivery-state.js';
import { DispatchWindow } from '../dispatch/dispatch-window.js';
import { EmailBacklog } from '../dispatch/email-backlog.js';
import { IdempotencyKeys } from '../idempotency/idempotency-keys.js';
import { SenderRewrites } from './sender-rewrites.js';
import { StrandedEmails } from './stranded-emails.js';

/** What the worker needs of emails: no route, no request. */
@Module({
  imports: [WebhooksModule],
  providers: [
    DeliverableEmails,
    DeliveryState,
    DispatchWindow,
    EmailBacklog,
    SenderRewrites,
    StrandedEmails,
    IdempotencyKeys,
  ],
  exports: [
    DeliverableEmails,
    DeliveryState,
    DispatchWindow,
    EmailBacklog,
    SenderRewrites,
    StrandedEmails,
    IdempotencyKeys,
  ],
})
export class EmailDeliveryModule {}
