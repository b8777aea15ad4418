import { Module } from '@nestjs/common';
import { Campaigns } from '../../campaigns/campaigns.js';
import { TrackingBaseUrls } from '../../domains/tracking/tracking-base-urls.js';
import { Plans } from '../../organizations/plans.js';
import { MessageRendering } from '../../templates/message-rendering.js';
import { Templates } from '../../templates/templates.js';
import { AttachmentContents } from '../attachments/attachment-contents.js';
import { AcceptedBatches } from './batch/accepted-batches.js';
import { BatchKeys } from './batch/batch-keys.js';
import { SendBatch } from './batch/send-batch.js';
import { EmailComposer } from './compose-email.js';
import { EmailBudget } from './email-budget.js';
import { EmailHtml } from './html-content.js';
import { LeftOutRecipients } from './left-out-recipients.js';
import { MessageContent } from './message-content.js';
import { Senders } from './sender.js';

/** Accepts emails, for every way in which they arrive; without routes. */
@Module({
  providers: [
    Plans,
    Campaigns,
    Templates,
    MessageRendering,
    TrackingBaseUrls,
    Senders,
    EmailBudget,
    EmailHtml,
    MessageContent,
    EmailComposer,
    AttachmentContents,
    LeftOutRecipients,
    AcceptedBatches,
    BatchKeys,
    SendBatch,
  ],
  exports: [
    Senders,
    EmailBudget,
    EmailHtml,
    MessageContent,
    EmailComposer,
    AttachmentContents,
    LeftOutRecipients,
    AcceptedBatches,
    SendBatch,
  ],
})
export class EmailAcceptanceModule {}
