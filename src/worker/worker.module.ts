import { BullModule } from '@nestjs/bullmq';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { DomainsModule } from '../domains/domains.module.js';
import { SenderDomains } from '../domains/sender-domains.js';
import { EgressModule } from '../egress/egress.module.js';
import { EmailDeliveryModule } from '../emails/email-delivery.module.js';
import { SenderRewrites } from '../emails/sender-rewrites.js';
import { EventHistory } from '../events/event-history.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { DELIVERY_PROVIDER, type DeliveryProvider } from '../providers/provider.js';
import { createProvider } from '../providers/registry.js';
import { QUEUE_PREFIX, QUEUES } from '../queue/jobs.js';
import { blockingConnectionOptions } from '../redis/connect.js';
import { WebhookDeliveryModule } from '../webhooks/webhook-delivery.module.js';
import { AmbiguityPolicy } from './ambiguity-policy.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliverySettlement } from './delivery-settlement.js';
import { BacklogMetrics } from './backlog-metrics.js';
import { ClaimedDelivery } from './claimed-delivery.js';
import { ConsumerLiveness } from './consumer-liveness.js';
import { DispatchFeeder } from './dispatch-feeder.js';
import { EmailDelivery } from './email-delivery.js';
import { EmailRecovery } from './email-recovery.js';
import { EmailRendering } from './email-rendering.js';
import { HeldLeases } from './held-leases.js';
import { ProviderCalls } from './provider-calls.js';
import { ProviderPause } from './provider-pause.js';
import { QuietQueue } from './quiet-queue.js';
import { RecurringWork } from './recurring-work.js';
import { Retention } from './retention.js';
import { RecurringProcessor } from './recurring.processor.js';
import { SendRun } from './send-run.js';
import { SignedDelivery } from './signed-delivery.js';
import { SendEmailProcessor } from './send-email.processor.js';
import { WatchedConsumer } from './watched-consumer.js';
import { WebhookDelivery } from './webhook-delivery.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookOutcomes } from './webhook-outcomes.js';
import { WebhookRequests } from './webhook-requests.js';
import { WebhookProcessor } from './webhook.processor.js';

BullModule.workerClass = WatchedConsumer;
BullModule.queueClass = QuietQueue;

/** The role `worker`: the only consumer of jobs. */
@Module({
  imports: [
    EmailDeliveryModule,
    DomainsModule,
    WebhookDeliveryModule,
    EgressModule,
    BullModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: RunSettings) => ({
        connection: blockingConnectionOptions(settings),
        prefix: QUEUE_PREFIX,
      }),
    }),
    BullModule.registerQueue({ name: QUEUES.emails }, { name: QUEUES.webhooks }, { name: QUEUES.recurring }),
  ],
  providers: [
    {
      provide: DELIVERY_PROVIDER,
      inject: [SETTINGS, CLOCK, SenderDomains, SenderRewrites, LOGGER],
      useFactory: (
        settings: RunSettings,
        clock: Clock,
        domains: SenderDomains,
        rewrites: SenderRewrites,
        logger: Logger,
      ) => {
        const rights = { domains, rewrites, platformDomain: settings.PLATFORM_SENDING_DOMAIN };
        return new SignedDelivery(createProvider(settings, settings.SMTP_URL ?? '', clock), rights, logger);
      },
    },
    AmbiguityPolicy,
    ProviderPause,
    EmailRendering,
    DeliveryMetrics,
    ProviderCalls,
    DeliveryAnnouncer,
    DeliverySettlement,
    HeldLeases,
    ClaimedDelivery,
    EmailDelivery,
    SendRun,
    DispatchFeeder,
    EmailRecovery,
    SendEmailProcessor,
    WebhookMetrics,
    WebhookRequests,
    WebhookOutcomes,
    WebhookDelivery,
    WebhookDispatcher,
    WebhookProcessor,
    BacklogMetrics,
    EventHistory,
    RecurringWork,
    Retention,
    RecurringProcessor,
    ConsumerLiveness,
  ],
})
export class WorkerModule implements OnApplicationShutdown {
  constructor(@Inject(DELIVERY_PROVIDER) private readonly provider: DeliveryProvider) {}

  /** After the processors have finished their deliveries: closing cuts whatever is still under way. */
  async onApplicationShutdown(): Promise<void> {
    await this.provider.close();
  }
}
