import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AcceptedEmails } from './accept/accepted-emails.js';
import { EmailDispatch } from './accept/email-dispatch.js';
import { EmailDrafts } from './accept/email-drafts.js';
import { EmailEvents } from './read/email-events.js';
import { EmailHtml } from './accept/email-html.js';
import { EmailList } from './read/email-list.js';
import { EmailReports } from './read/email-reports.js';
import { EmailRetries } from './read/email-retries.js';
import { EmailsController } from './emails.controller.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { SendAnswers } from './accept/send-answers.js';
import { SendEmails } from './accept/send-emails.js';
import { SendOnce } from './accept/send-once.js';
import { SendController } from './accept/send.controller.js';
import { Senders } from './accept/sender.js';
import { TrackAnswers } from './accept/track-answers.js';
import { TrackEmails } from './accept/track-emails.js';

/** What API clients do with emails. */
@Module({
  imports: [OrganizationsModule, CampaignsModule, DomainsModule],
  controllers: [SendController, EmailsController],
  providers: [
    Senders,
    EmailHtml,
    EmailDrafts,
    AcceptedEmails,
    EmailDispatch,
    SendAnswers,
    SendEmails,
    SendOnce,
    TrackAnswers,
    TrackEmails,
    IdempotencyKeys,
    EmailList,
    EmailReports,
    EmailRetries,
    EmailEvents,
  ],
})
export class EmailsModule {}
