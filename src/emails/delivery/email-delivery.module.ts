import { Module } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../../platform/clock/clock.js';
import { EventLoopLoad } from '../../platform/clock/event-loop-load.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { AttachmentContents } from '../attachments/attachment-contents.js';
import { EmailLoader } from './load-email.js';
import { DeliveryState } from './delivery-state.js';
import { DispatchWindow } from '../dispatch/dispatch-window.js';
import { EmailBacklog } from '../dispatch/email-backlog.js';
import { IdempotencyKeys } from '../idempotency/idempotency-keys.js';
import { SenderRewrites } from './sender-rewrites.js';
import { AbandonedEmails } from './abandoned-emails.js';
import { SingleSends } from './single-sends.js';

/** The providers of email delivery, for the worker; without routes. */
@Module({
  imports: [WebhooksModule],
  providers: [
    EmailLoader,
    DeliveryState,
    DispatchWindow,
    EmailBacklog,
    SenderRewrites,
    AbandonedEmails,
    IdempotencyKeys,
    AttachmentContents,
    {
      provide: SingleSends,
      inject: [MONOTONIC_CLOCK],
      useFactory: (clock: Clock) => new SingleSends(clock, new EventLoopLoad()),
    },
  ],
  exports: [
    EmailLoader,
    DeliveryState,
    DispatchWindow,
    EmailBacklog,
    SenderRewrites,
    AbandonedEmails,
    IdempotencyKeys,
    AttachmentContents,
    SingleSends,
  ],
})
export class EmailDeliveryModule {}
