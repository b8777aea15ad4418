import { InitialSchema1790000000000 } from './migrations/1790000000000-initial-schema.js';
import { IdempotencyKeys1790100000000 } from './migrations/1790100000000-idempotency-keys.js';
import { EmailsByStatus1790200000000 } from './migrations/1790200000000-emails-by-status.js';
import { ContactSearch1790300000000 } from './migrations/1790300000000-contact-search.js';
import { SendingDomains1790400000000 } from './migrations/1790400000000-sending-domains.js';
import { Webhooks1790500000000 } from './migrations/1790500000000-webhooks.js';
import { PendingEmails1790600000000 } from './migrations/1790600000000-pending-emails.js';
import { WebhookPauses1790700000000 } from './migrations/1790700000000-webhook-pauses.js';
import { IdempotentFailures1790800000000 } from './migrations/1790800000000-idempotent-failures.js';
import { PlacesInLine1790900000000 } from './migrations/1790900000000-places-in-line.js';
import { ProviderSignatures1791100000000 } from './migrations/1791100000000-provider-signatures.js';
import { DispatchWatermarks1791500000000 } from './migrations/1791500000000-dispatch-watermarks.js';
import { DispatchedByTime1791510000000 } from './migrations/1791510000000-dispatched-by-time.js';
import { WebhookDueIndex1791600000000 } from './migrations/1791600000000-webhook-due-index.js';
import { EventSums1791700000000 } from './migrations/1791700000000-event-sums.js';
import { LinksByClicks1791710000000 } from './migrations/1791710000000-links-by-clicks.js';
import { WebhookReferences1791720000000 } from './migrations/1791720000000-webhook-references.js';
import { FirstWebhooks1791730000000 } from './migrations/1791730000000-first-webhooks.js';
import { EventSumsCounted1791740000000 } from './migrations/1791740000000-event-sums-counted.js';
import { WebhookTests1791900000000 } from './migrations/1791900000000-webhook-tests.js';
import { RecipientReports1792000000000 } from './migrations/1792000000000-recipient-reports.js';
import { RecipientWebhooks1792000100000 } from './migrations/1792000100000-recipient-webhooks.js';
import { EmailAttempts1792000110000 } from './migrations/1792000110000-email-attempts.js';
import { WebhooksOfEmail1792000120000 } from './migrations/1792000120000-webhooks-of-email.js';
import { SuppressionsByReason1792000200000 } from './migrations/1792000200000-suppressions-by-reason.js';
import { SendingGuards1792000300000 } from './migrations/1792000300000-sending-guards.js';
import { BreakingUnusedEmailColumns1792900000000 } from './migrations/1792900000000-breaking-unused-email-columns.js';
import { GuardWarnings1793000000000 } from './migrations/1793000000000-guard-warnings.js';
import { ArrivalOfReports1793000010000 } from './migrations/1793000010000-arrival-of-reports.js';
import { ProviderResponses1793000020000 } from './migrations/1793000020000-provider-responses.js';
import { PeopleAndMachines1793100000000 } from './migrations/1793100000000-people-and-machines.js';
import { LastClicks1793120000000 } from './migrations/1793120000000-last-clicks.js';
import { PeopleWalk1793120100000 } from './migrations/1793120100000-people-walk.js';
import { Messages1793200000000 } from './migrations/1793200000000-messages.js';
import { Attachments1793210000000 } from './migrations/1793210000000-attachments.js';
import { Senders1793220000000 } from './migrations/1793220000000-senders.js';
import { EmailsBySender1793220100000 } from './migrations/1793220100000-emails-by-sender.js';
import { BatchResponses1793230000000 } from './migrations/1793230000000-batch-responses.js';
import { Templates1793300000000 } from './migrations/1793300000000-templates.js';
import { Broadcasts1793400000000 } from './migrations/1793400000000-broadcasts.js';
import { BroadcastIndexes1793400100000 } from './migrations/1793400100000-broadcast-indexes.js';
import { EmailStatuses1793400200000 } from './migrations/1793400200000-email-statuses.js';
import { ScheduledEmails1793500000000 } from './migrations/1793500000000-scheduled-emails.js';
import { KeyLimits1793600000000 } from './migrations/1793600000000-key-limits.js';
import { SuspendedOrganizations1793610000000 } from './migrations/1793610000000-suspended-organizations.js';
import { ChecksOfGuardsAndKeys1793620000000 } from './migrations/1793620000000-checks-of-guards-and-keys.js';
import { AuditEntries1793700000000 } from './migrations/1793700000000-audit-entries.js';
import { BroadcastsByCampaign1793700700000 } from './migrations/1793700700000-broadcasts-by-campaign.js';
import { BlockedLinks1793710000000 } from './migrations/1793710000000-blocked-links.js';
import { BudgetUsage1793720000000 } from './migrations/1793720000000-budget-usage.js';
import { BroadcastsThatWait1793720100000 } from './migrations/1793720100000-broadcasts-that-wait.js';
import { OrganizationsByDeletion1793710110000 } from './migrations/1793710110000-organizations-by-deletion.js';
import { DeletedOrganizations1793710100000 } from './migrations/1793710100000-deleted-organizations.js';
import { EventSumsByEmail1793710200000 } from './migrations/1793710200000-event-sums-by-email.js';
import { MeasuredStorage1793720200000 } from './migrations/1793720200000-measured-storage.js';
import { ContactErasures1793730000000 } from './migrations/1793730000000-contact-erasures.js';
import { EmailsByCopy1793730100000 } from './migrations/1793730100000-emails-by-copy.js';
import { HourlyStats1793760000000 } from './migrations/1793760000000-hourly-stats.js';
import { RecipientsWithoutForeignKey1793790000000 } from './migrations/1793790000000-recipients-without-foreign-key.js';
import { StatsWalk1793804000000 } from './migrations/1793804000000-stats-walk.js';
import { MjmlOfMessages1793805000000 } from './migrations/1793805000000-mjml-of-messages.js';
import { PartitionsBehindReaders1793806000000 } from './migrations/1793806000000-partitions-behind-readers.js';
import { HeadersAndAttachmentsOfMessages1793830000000 } from './migrations/1793830000000-headers-and-attachments-of-messages.js';
import { MessagesWithAttachments1793830100000 } from './migrations/1793830100000-messages-with-attachments.js';
import { EventStore1793840000000 } from './migrations/1793840000000-event-store.js';
import { StoredStatuses1793870000000 } from './migrations/1793870000000-stored-statuses.js';
import { CheckedStatuses1793870100000 } from './migrations/1793870100000-checked-statuses.js';
import { Users1793740000000 } from './migrations/1793740000000-users.js';
import { BodyRetention1793730200000 } from './migrations/1793730200000-body-retention.js';
import { EventPartitionFunctions1793750000000 } from './migrations/1793750000000-event-partition-functions.js';
import { UnfinishedCancellations1793810000000 } from './migrations/1793810000000-unfinished-cancellations.js';
import { CanceledEmails1793810100000 } from './migrations/1793810100000-canceled-emails.js';
import { EarlierCanceledEmails1793810110000 } from './migrations/1793810110000-earlier-canceled-emails.js';
import { CanceledEmailsWithoutIndex1793810120000 } from './migrations/1793810120000-canceled-emails-without-index.js';
import { EventsByContactAndEmail1793880000000 } from './migrations/1793880000000-events-by-contact-and-email.js';
import { SummedHits1793890000000 } from './migrations/1793890000000-summed-hits.js';
import { UnsubscriptionTimes1793890100000 } from './migrations/1793890100000-unsubscription-times.js';
import { FirstClaims1793900000000 } from './migrations/1793900000000-first-claims.js';
import { JoinedMembers1793910000000 } from './migrations/1793910000000-joined-members.js';
import { EmailsByRecipient1793920000000 } from './migrations/1793920000000-emails-by-recipient.js';
import { FailedWebhooks1793960000000 } from './migrations/1793960000000-failed-webhooks.js';
import { OrderedWebhooksOfEmail1793970000000 } from './migrations/1793970000000-ordered-webhooks-of-email.js';
import { SweptLetters1793975000000 } from './migrations/1793975000000-swept-letters.js';
import { ManyLateEvents1793983100000 } from './migrations/1793983100000-many-late-events.js';
import { TrackingDomains1793984000000 } from './migrations/1793984000000-tracking-domains.js';
import { DoubtfulRecipients1793990000000 } from './migrations/1793990000000-doubtful-recipients.js';
import { ProvidersOfPendingEmails1793995000000 } from './migrations/1793995000000-providers-of-pending-emails.js';
import { ProvidersOfOrganizations1793996000000 } from './migrations/1793996000000-providers-of-organizations.js';
import { EmailsOfOwnProviders1793997000000 } from './migrations/1793997000000-emails-of-own-providers.js';
import { ReportsByType1793998000000 } from './migrations/1793998000000-reports-by-type.js';
import { SuppressedEmailsOfBroadcasts1793998200000 } from './migrations/1793998200000-suppressed-emails-of-broadcasts.js';
import { StepsByOrganization1793998300000 } from './migrations/1793998300000-steps-by-organization.js';
import { ArchivedCampaigns1793998400000 } from './migrations/1793998400000-archived-campaigns.js';
import { ErasuresByOrganization1793998500000 } from './migrations/1793998500000-erasures-by-organization.js';

/**
 * All migrations of this build, oldest first. A migration that removes or redefines something older builds use must
 * have a name that begins with "Breaking". Older builds refuse to start on such a schema and accept any other newer
 * one.
 */
export const migrations = [
  InitialSchema1790000000000,
  IdempotencyKeys1790100000000,
  EmailsByStatus1790200000000,
  ContactSearch1790300000000,
  SendingDomains1790400000000,
  Webhooks1790500000000,
  PendingEmails1790600000000,
  WebhookPauses1790700000000,
  IdempotentFailures1790800000000,
  PlacesInLine1790900000000,
  ProviderSignatures1791100000000,
  DispatchWatermarks1791500000000,
  DispatchedByTime1791510000000,
  WebhookDueIndex1791600000000,
  EventSums1791700000000,
  LinksByClicks1791710000000,
  WebhookReferences1791720000000,
  FirstWebhooks1791730000000,
  EventSumsCounted1791740000000,
  WebhookTests1791900000000,
  RecipientReports1792000000000,
  RecipientWebhooks1792000100000,
  EmailAttempts1792000110000,
  WebhooksOfEmail1792000120000,
  SuppressionsByReason1792000200000,
  SendingGuards1792000300000,
  BreakingUnusedEmailColumns1792900000000,
  GuardWarnings1793000000000,
  ArrivalOfReports1793000010000,
  ProviderResponses1793000020000,
  PeopleAndMachines1793100000000,
  LastClicks1793120000000,
  PeopleWalk1793120100000,
  Messages1793200000000,
  Attachments1793210000000,
  Senders1793220000000,
  EmailsBySender1793220100000,
  BatchResponses1793230000000,
  Templates1793300000000,
  Broadcasts1793400000000,
  BroadcastIndexes1793400100000,
  EmailStatuses1793400200000,
  ScheduledEmails1793500000000,
  KeyLimits1793600000000,
  SuspendedOrganizations1793610000000,
  ChecksOfGuardsAndKeys1793620000000,
  AuditEntries1793700000000,
  BroadcastsByCampaign1793700700000,
  BlockedLinks1793710000000,
  DeletedOrganizations1793710100000,
  OrganizationsByDeletion1793710110000,
  EventSumsByEmail1793710200000,
  BudgetUsage1793720000000,
  BroadcastsThatWait1793720100000,
  MeasuredStorage1793720200000,
  ContactErasures1793730000000,
  EmailsByCopy1793730100000,
  BodyRetention1793730200000,
  Users1793740000000,
  EventPartitionFunctions1793750000000,
  HourlyStats1793760000000,
  RecipientsWithoutForeignKey1793790000000,
  StatsWalk1793804000000,
  MjmlOfMessages1793805000000,
  PartitionsBehindReaders1793806000000,
  UnfinishedCancellations1793810000000,
  CanceledEmails1793810100000,
  EarlierCanceledEmails1793810110000,
  CanceledEmailsWithoutIndex1793810120000,
  HeadersAndAttachmentsOfMessages1793830000000,
  MessagesWithAttachments1793830100000,
  EventStore1793840000000,
  StoredStatuses1793870000000,
  CheckedStatuses1793870100000,
  EventsByContactAndEmail1793880000000,
  SummedHits1793890000000,
  UnsubscriptionTimes1793890100000,
  FirstClaims1793900000000,
  JoinedMembers1793910000000,
  EmailsByRecipient1793920000000,
  FailedWebhooks1793960000000,
  OrderedWebhooksOfEmail1793970000000,
  SweptLetters1793975000000,
  ManyLateEvents1793983100000,
  TrackingDomains1793984000000,
  DoubtfulRecipients1793990000000,
  ProvidersOfPendingEmails1793995000000,
  ProvidersOfOrganizations1793996000000,
  EmailsOfOwnProviders1793997000000,
  ReportsByType1793998000000,
  SuppressedEmailsOfBroadcasts1793998200000,
  StepsByOrganization1793998300000,
  ArchivedCampaigns1793998400000,
  ErasuresByOrganization1793998500000,
];
