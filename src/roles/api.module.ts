import { Module } from '@nestjs/common';
import { BroadcastsModule } from '../broadcasts/broadcasts.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { CompatibleApisModule } from '../emails/compatible-apis/compatible-apis.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { DomainApiModule } from '../domains/domain-api.module.js';
import { EmailsModule } from '../emails/emails.module.js';
import { LiveApiModule } from '../events/live/live-api.module.js';
import { FeedbackModule } from '../events/feedback/feedback.module.js';
import { AuditModule } from '../organizations/audit/audit.module.js';
import { UsageModule } from '../organizations/budgets/usage.module.js';
import { KeyCheckModule } from '../organizations/key-check.module.js';
import { KeysModule } from '../organizations/keys.module.js';
import { OrganizationProvidersModule } from '../organizations/providers/organization-providers.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { UsersModule } from '../users/users.module.js';
import { WebhookApiModule } from '../webhooks/webhook-api.module.js';

/** The role `api`: the endpoints for organizations. */
@Module({
  imports: [
    KeyCheckModule,
    KeysModule,
    OrganizationProvidersModule,
    UsageModule,
    BroadcastsModule,
    CampaignsModule,
    CompatibleApisModule,
    ContactsModule,
    EmailsModule,
    DomainApiModule,
    SuppressionsModule,
    TemplatesModule,
    UsersModule,
    WebhookApiModule,
    AuditModule,
    LiveApiModule,
    FeedbackModule,
  ],
})
export class ApiModule {}
