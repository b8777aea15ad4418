import { Module } from '@nestjs/common';
import { TemplatesModule } from '../templates/templates.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { ContactSearch } from '../contacts/contact-search.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ResultChannel } from '../platform/queue/result-channel.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ClickMapController } from './click-map.controller.js';
import { ClickMaps } from './read/click-map.js';
import { AcceptedEmails } from './accept/accepted-emails.js';
import { EmailAcceptanceModule } from './accept/email-acceptance.module.js';
import { EmailEvents } from './read/email-events.js';
import { EmailPreviews } from './read/email-preview.js';
import { EmailTimelines } from './read/email-timeline.js';
import { SharedMessages } from '../broadcasts/shared-messages.js';
import { EmailExport } from './read/email-export.js';
import { EmailList } from './read/email-list.js';
import { EmailDetails } from './read/email-detail.js';
import { EmailRetries } from './read/email-retries.js';
import { EmailsController } from './emails.controller.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { SendResponses } from './accept/send-response.js';
import { SendEmail } from './accept/send-email.js';
import { SendQueue } from './accept/send-queue.js';
import { SendController } from './accept/send.controller.js';
import { ScheduleController } from './schedule/schedule.controller.js';
import { ScheduledEmails } from './schedule/scheduled-emails.js';
import { ProviderStates } from './sending-state/provider-state.js';
import { SendingStateController } from './sending-state/sending-state.controller.js';
import { SendingStates } from './sending-state/sending-state.js';
import { SenderLimits } from './sender-limits.js';
import { TrackResponses } from './accept/track-response.js';
import { TrackEmail } from './accept/track-email.js';

/** The email routes of the API. */
@Module({
  imports: [OrganizationsModule, CampaignsModule, DomainsModule, EmailAcceptanceModule, TemplatesModule],
  controllers: [SendController, EmailsController, ScheduleController, ClickMapController, SendingStateController],
  providers: [
    SenderLimits,
    AcceptedEmails,
    ResultChannel,
    SendQueue,
    SendResponses,
    SendEmail,
    TrackResponses,
    TrackEmail,
    IdempotencyKeys,
    EmailList,
    EmailExport,
    EmailDetails,
    EmailRetries,
    ScheduledEmails,
    EmailEvents,
    EmailTimelines,
    EmailPreviews,
    ClickMaps,
    ContactSearch,
    SharedMessages,
    ProviderStates,
    SendingStates,
  ],
  exports: [EmailAcceptanceModule, SendEmail],
})
export class EmailsModule {}
