import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { AttachmentContents } from '../emails/attachments/attachment-contents.js';
import { EmailHtml } from '../emails/accept/html-content.js';
import { MessageContent } from '../emails/accept/message-content.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { BroadcastContentController } from './broadcast-content.controller.js';
import { BroadcastContent } from './broadcast-content.js';
import { BroadcastDrafts } from './broadcast-drafts.js';
import { BroadcastMessages } from './broadcast-messages.js';
import { BroadcastMoves } from './broadcast-moves.js';
import { BroadcastsController } from './broadcasts.controller.js';
import { Broadcasts } from './broadcasts.js';
import { MissingVariables } from './missing-variables.js';
import { RecipientUploads } from './recipients/recipient-upload.js';

/** The broadcast routes of the API. */
@Module({
  imports: [OrganizationsModule, CampaignsModule, TemplatesModule],
  controllers: [BroadcastsController, BroadcastContentController],
  providers: [
    ...[EmailHtml, MessageContent, AttachmentContents, BroadcastMessages, BroadcastDrafts, BroadcastContent],
    ...[MissingVariables, Broadcasts, BroadcastMoves, RecipientUploads],
  ],
})
export class BroadcastsModule {}
