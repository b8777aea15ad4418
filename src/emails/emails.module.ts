import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AcceptedEmails } from './accepted-emails.js';
import { EmailDispatch } from './email-dispatch.js';
import { EmailDrafts } from './email-drafts.js';
import { EmailEvents } from './email-events.js';
import { EmailHtml } from './email-html.js';
import { EmailList } from './email-list.js';
import { EmailReports } from './email-reports.js';
import { EmailRetries } from './email-retries.js';
import { EmailsController } from './emails.controller.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { SendAnswers } from './send-answers.js';
import { SendEmails } from './send-emails.js';
import { SendOnce } from './send-once.js';
import { SendController } from './send.controller.js';
import { Senders } from './sender.js';
import { TrackAnswers } from './track-answers.js';
import { TrackEmails } from './track-emails.js';

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
