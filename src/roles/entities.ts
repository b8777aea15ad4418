import { BroadcastRecipient } from '../broadcasts/recipients/broadcast-recipient.entity.js';
import { Broadcast } from '../broadcasts/broadcast.entity.js';
import { SharedMessage } from '../broadcasts/shared-message.entity.js';
import { CampaignLink } from '../campaigns/campaign-link.entity.js';
import { CampaignTotal } from '../campaigns/campaign-total.entity.js';
import { Campaign } from '../campaigns/campaign.entity.js';
import { HourlyStats } from '../campaigns/stats/hourly-stats.entity.js';
import { StatsBackfill } from '../campaigns/stats/stats-backfill.entity.js';
import { StatDelta } from '../campaigns/stats/stat-delta.entity.js';
import { ContactCampaign } from '../contacts/contact-campaign.entity.js';
import { ContactEmail } from '../contacts/contact-email.entity.js';
import { ContactSearchEntry } from '../contacts/contact-search-entry.entity.js';
import { Contact } from '../contacts/contact.entity.js';
import { ContactErasureEmail } from '../contacts/erasure/contact-erasure-email.entity.js';
import { ContactErasure } from '../contacts/erasure/contact-erasure.entity.js';
import { PersonHashKey } from '../contacts/erasure/person-hash-key.entity.js';
import { ProviderDomainRemoval } from '../domains/provider-domain-removal.entity.js';
import { SendingDomain } from '../domains/sending-domain.entity.js';
import { TrackingBaseUrl } from '../domains/tracking/tracking-base-url.entity.js';
import { TrackingDomain } from '../domains/tracking/tracking-domain.entity.js';
import { EventStoreChange } from '../events/store/event-store-change.entity.js';
import { EventStoreGap } from '../events/store/event-store-gap.entity.js';
import { EventStoreState } from '../events/store/event-store-state.entity.js';
import { EventHistoryState } from '../events/event-history.entity.js';
import { PeopleBackfill } from '../events/people-backfill.entity.js';
import { DispatchWindowState } from '../emails/dispatch/dispatch-window.entity.js';
import { BodyRetentionState } from '../emails/body-retention.entity.js';
import { EmailContent } from '../emails/email-content.entity.js';
import { LateBody } from '../emails/late-body.entity.js';
import { EmailLinkClicks } from '../emails/email-link-clicks.entity.js';
import { AttachmentContent } from '../emails/attachments/attachment-content.entity.js';
import { EmailAttachment } from '../emails/attachments/email-attachment.entity.js';
import { EmailTag } from '../emails/email-tag.entity.js';
import { EmailMachineHits } from '../emails/email-machine-hits.entity.js';
import { EmailLinks } from '../emails/email-links.entity.js';
import { Email } from '../emails/email.entity.js';
import { CanceledEmail } from '../emails/schedule/canceled-email.entity.js';
import { IdempotencyKey } from '../emails/idempotency/idempotency-key.entity.js';
import { PendingEmail } from '../emails/dispatch/pending-email.entity.js';
import { EmailAttempt } from '../emails/delivery/email-attempt.entity.js';
import { RecipientDelivery } from '../emails/delivery/recipient-delivery.entity.js';
import { EventDeadLetter } from '../events/dead-letters/event-dead-letter.entity.js';
import { StoredEvent } from '../events/stored-event.entity.js';
import { EventSumRow } from '../events/event-sum.entity.js';
import { DeliveryEvent } from '../events/delivery-event.entity.js';
import { AuditEntry } from '../organizations/audit/audit-entry.entity.js';
import { ApiKey } from '../organizations/api-key.entity.js';
import { SendingGuard } from '../organizations/guard/sending-guard.entity.js';
import { SendingRate } from '../organizations/guard/sending-rate.entity.js';
import { BudgetUsage } from '../organizations/budgets/budget-usage.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { OrganizationProvider } from '../organizations/providers/organization-provider.entity.js';
import { BlockedLink } from '../links/blocking/blocked-link.entity.js';
import { StoredSigningKey } from '../links/signing-key.entity.js';
import { ErasedSuppression } from '../suppressions/erased-suppression.entity.js';
import { SoftBounceReset } from '../suppressions/soft-bounce-reset.entity.js';
import { Suppression } from '../suppressions/suppression.entity.js';
import { TemplateVersion } from '../templates/template-version.entity.js';
import { Template } from '../templates/template.entity.js';
import { Membership } from '../users/membership.entity.js';
import { Session } from '../users/sessions/session.entity.js';
import { UserToken } from '../users/user-token.entity.js';
import { User } from '../users/user.entity.js';
import { WebhookAttempt } from '../webhooks/webhook-attempt.entity.js';
import { WebhookDelivery } from '../webhooks/webhook-delivery.entity.js';
import { WebhookEndpoint } from '../webhooks/webhook-endpoint.entity.js';

/** All TypeORM entities, one per table. A test compares them with the migrations. */
export const entities = [
  BlockedLink,
  BroadcastRecipient,
  Broadcast,
  SharedMessage,
  CampaignLink,
  CampaignTotal,
  HourlyStats,
  StatDelta,
  Campaign,
  ContactCampaign,
  ContactEmail,
  ContactSearchEntry,
  Contact,
  ContactErasureEmail,
  ContactErasure,
  PersonHashKey,
  ProviderDomainRemoval,
  SendingDomain,
  TrackingBaseUrl,
  TrackingDomain,
  DispatchWindowState,
  EventHistoryState,
  EventStoreChange,
  EventStoreGap,
  EventStoreState,
  PeopleBackfill,
  StatsBackfill,
  BodyRetentionState,
  EmailContent,
  LateBody,
  AttachmentContent,
  EmailAttachment,
  EmailLinkClicks,
  EmailLinks,
  EmailMachineHits,
  EmailTag,
  CanceledEmail,
  Email,
  IdempotencyKey,
  PendingEmail,
  EmailAttempt,
  RecipientDelivery,
  EventDeadLetter,
  EventSumRow,
  StoredEvent,
  DeliveryEvent,
  ApiKey,
  AuditEntry,
  BudgetUsage,
  Organization,
  OrganizationProvider,
  SendingGuard,
  SendingRate,
  StoredSigningKey,
  ErasedSuppression,
  SoftBounceReset,
  Suppression,
  Template,
  TemplateVersion,
  Membership,
  Session,
  UserToken,
  User,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
];
