import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { EmailDeliveryModule } from '../emails/email-delivery.module.js';
import { DELIVERY_PROVIDER } from '../providers/provider.js';
import { createProvider } from '../providers/registry.js';
import { QUEUE_PREFIX } from '../queue/jobs.js';
import { connectForBlocking } from '../redis/connect.js';
import { AmbiguityPolicy } from './ambiguity-policy.js';
import { CONSUMER_CONFIG } from './consumer.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { DeliverySettlement } from './delivery-settlement.js';
import { EmailDelivery, ProviderCalls } from './email-delivery.js';
import { EmailRecovery } from './email-recovery.js';
import { EmailRendering } from './email-rendering.js';
import { ProviderPause } from './provider-pause.js';
import { RecurringProcessor } from './recurring.processor.js';
import { SendEmailProcessor } from './send-email.processor.js';

/** The role `worker`: the only consumer of jobs. */
@Module({
  imports: [
    EmailDeliveryModule,
    BullModule.forRootAsync(CONSUMER_CONFIG, {
      inject: [SETTINGS],
      useFactory: (settings: RunSettings) => ({
        connection: connectForBlocking(settings.REDIS_URL),
        prefix: QUEUE_PREFIX,
      }),
    }),
  ],
  providers: [
    {
      provide: DELIVERY_PROVIDER,
      inject: [SETTINGS, CLOCK],
      useFactory: (settings: RunSettings, clock: Clock) => createProvider(settings, settings.SMTP_URL ?? '', clock),
    },
    AmbiguityPolicy,
    ProviderPause,
    EmailRendering,
    ProviderCalls,
    DeliveryAnnouncer,
    DeliverySettlement,
    EmailDelivery,
    EmailRecovery,
    SendEmailProcessor,
    RecurringProcessor,
  ],
})
export class WorkerModule {}
