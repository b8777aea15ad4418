import { BullModule } from '@nestjs/bullmq';
import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { SenderDomains } from '../../domains/sender-domains.js';
import { OutboundHttpModule } from '../../platform/outbound-http/outbound-http.module.js';
import { BroadcastRunner } from '../../broadcasts/sending/broadcast-runner.js';
import { BroadcastSendingModule } from '../../broadcasts/sending/broadcast-sending.module.js';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import { EmailDeliveryModule } from '../../emails/delivery/email-delivery.module.js';
import { ContentRetention } from '../../emails/content-retention.js';
import { ErasureRunnerModule } from '../../contacts/erasure/erasure.module.js';
import { SenderRewrites } from '../../emails/delivery/sender-rewrites.js';
import { EarlierStats } from '../../campaigns/stats/count-earlier-stats.js';
import { FoldedStats } from '../../campaigns/stats/fold-stats.js';
import { EarlierPeople } from '../../events/count-earlier-people.js';
import { EventHistory } from '../../events/event-retention.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { LOGGER } from '../../platform/logging/logger.js';
import { BudgetsModule } from '../../organizations/budgets/budgets.module.js';
import { PacedRetention } from '../../platform/database/paced-retention.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { AuditRetention } from '../../organizations/audit/audit-retention.js';
import { StorageMeasurements } from '../../organizations/budgets/measure-storage.js';
import { GuardMetrics } from '../../organizations/guard/guard-metrics.js';
import { MailCancellations } from '../../organizations/deletion/mail-cancellations.js';
import { OrganizationDeletion } from '../../organizations/deletion/organization-deletion.js';
import { SendingGuards } from '../../organizations/guard/sending-guards.js';
import { QUEUE_PREFIX, QUEUES } from '../../platform/queue/jobs.js';
import { RecurringRuns } from '../../platform/queue/recurring-runs.js';
import { WorkListener } from '../../platform/queue/work-notifications.js';
import { blockingConnectionOptions, REDIS } from '../../platform/redis/connect.js';
import { WebhookHistory } from '../../webhooks/webhook-retention.js';
import { WebhookDeliveryModule } from '../../webhooks/delivery/webhook-delivery.module.js';
import { DeliveryNotifier } from '../../emails/delivery/delivery-notifier.js';
import { DeliveryMetrics } from '../../emails/delivery/delivery-metrics.js';
import { DeliverySettlement } from '../../emails/delivery/delivery-settlement.js';
import { BacklogMetrics } from './backlog-metrics.js';
import { ConsumerLiveness } from './consumer-liveness.js';
import { DispatchFeeder } from '../../emails/dispatch/dispatch-feeder.js';
import { DeliverEmail } from '../../emails/delivery/deliver-email.js';
import { DeliverBatch } from '../../emails/delivery/deliver-batch.js';
import { SendJobs } from '../../emails/dispatch/send-jobs.js';
import { EmailRecovery } from '../../emails/delivery/email-recovery.js';
import { EmailRendering } from '../../emails/delivery/email-rendering.js';
import { HeldLeases } from '../../emails/delivery/held-leases.js';
import { OrganizationJobs } from '../../emails/delivery/organizations/organization-jobs.js';
import { HeldMail } from '../../emails/delivery/organizations/held-mail.js';
import { OwnProviderFactory } from '../../emails/delivery/organizations/own-provider-factory.js';
import { OwnDeliveryProviders } from '../../emails/delivery/organizations/own-delivery-providers.js';
import { OrganizationSlots } from '../../emails/delivery/organizations/organization-slots.js';
import { ProviderCalls } from '../../emails/delivery/provider-calls.js';
import { ProviderSlots } from '../../emails/delivery/concurrency/provider-slots.js';
import { BullQueue } from './bullmq-overrides/bull-queue.js';
import { DeliveryProviders } from '../../emails/delivery/delivery-providers.js';
import { createDeliveryProviders } from './create-delivery-providers.js';
import { RecurringHandlers } from './recurring-handlers.js';
import { Retention } from './retention.js';
import { RecurringRunner } from './recurring-runner.js';
import { PreparedAhead } from '../../emails/delivery/prepared-ahead.js';
import { SendRun } from '../../emails/delivery/send-run.js';
import { BatchRun } from '../../emails/delivery/batch-run.js';
import { SendEmailProcessor } from './send-email.processor.js';
import { MonitoredWorker } from './bullmq-overrides/monitored-worker.js';
import { WebhookAttempter } from '../../webhooks/delivery/webhook-attempter.js';
import { WebhookDispatcher } from '../../webhooks/delivery/webhook-dispatcher.js';
import { WebhookMetrics } from '../../webhooks/delivery/webhook-metrics.js';
import { WebhookOutcomes } from '../../webhooks/delivery/webhook-outcomes.js';
import { WebhookRequests } from '../../webhooks/delivery/webhook-requests.js';
import { WebhookProcessor } from './webhook.processor.js';

BullModule.workerClass = MonitoredWorker;
BullModule.queueClass = BullQueue;

/** The role `worker`: the only consumer of jobs. */
@Module({
  imports: [
    BudgetsModule,
    EmailDeliveryModule,
    BroadcastSendingModule,
    ErasureRunnerModule,
    DomainsModule,
    WebhookDeliveryModule,
    OutboundHttpModule,
    BullModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: RunSettings) => ({
        connection: blockingConnectionOptions(settings),
        prefix: QUEUE_PREFIX,
      }),
    }),
    BullModule.registerQueue({ name: QUEUES.emails }, { name: QUEUES.webhooks }),
  ],
  providers: [
    {
      provide: DeliveryProviders,
      inject: [SETTINGS, POSTGRES_CLOCK, MONOTONIC_CLOCK, REDIS, LOGGER, SenderDomains, SenderRewrites, SigningKeyRing],
      useFactory: createDeliveryProviders,
    },
    OwnProviderFactory,
    OwnDeliveryProviders,
    OrganizationSlots,
    OrganizationJobs,
    HeldMail,
    ProviderSlots,
    SharedMessages,
    EmailRendering,
    DeliveryMetrics,
    ProviderCalls,
    DeliveryNotifier,
    DeliverySettlement,
    HeldLeases,
    DeliverEmail,
    DeliverBatch,
    SendJobs,
    PreparedAhead,
    SendRun,
    BatchRun,
    DispatchFeeder,
    EmailRecovery,
    SendEmailProcessor,
    WebhookMetrics,
    WebhookRequests,
    WebhookOutcomes,
    WebhookAttempter,
    WebhookDispatcher,
    WebhookProcessor,
    BacklogMetrics,
    ContentRetention,
    EarlierPeople,
    EarlierStats,
    FoldedStats,
    EventHistory,
    AuditRetention,
    WebhookHistory,
    PacedRetention,
    GuardMetrics,
    SendingGuards,
    OrganizationDeletion,
    MailCancellations,
    StorageMeasurements,
    RecurringHandlers,
    Retention,
    RecurringRuns,
    RecurringRunner,
    ConsumerLiveness,
  ],
})
export class WorkerModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly providers: DeliveryProviders,
    private readonly organizations: OwnDeliveryProviders,
    private readonly listener: WorkListener,
    broadcasts: BroadcastRunner,
    feeder: DispatchFeeder,
  ) {
    broadcasts.onEmails = () => feeder.wake();
  }

  onApplicationBootstrap(): void {
    this.listener.start();
  }

  /** Runs after the processors have finished their deliveries: closing the providers aborts the rest. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.providers.close(), this.organizations.closeAll()]);
  }
}
