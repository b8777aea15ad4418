import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { hostname } from 'node:os';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { Liveness } from '../../platform/health/liveness.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer } from '../../platform/queue/job-producer.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { StoreWriterModule } from '../../events/store/store-writer.module.js';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { EventConsumer } from '../../events/stream/event-consumer.js';
import { wakeWebhookDeliveries } from '../../webhooks/wake-webhook-deliveries.js';
import { BudgetWarnings } from '../../organizations/budgets/budget-warnings.js';
import { BudgetsModule } from '../../organizations/budgets/budgets.module.js';
import { EventBudget } from '../../events/ingest/event-budget.js';
import type { FlushSettings } from '../../events/ingest/flush-entries.js';
import { FLUSH_SETTINGS, Flusher } from './flusher.js';
import { FlusherMetrics } from './flusher-metrics.js';

/** The role `flusher`: writes events from the stream to Postgres. */
@Module({
  imports: [BudgetsModule, StoreWriterModule],
  providers: [
    {
      provide: EventConsumer,
      inject: [REDIS, CLOCK],
      // The host helps operators who inspect the group; the ID makes the name unique.
      useFactory: (redis: RedisConnection, clock: Clock) =>
        new EventConsumer(redis, `${hostname()}-${uuidV7(clock.now())}`),
    },
    {
      provide: FLUSH_SETTINGS,
      inject: [SETTINGS, BudgetWarnings],
      useFactory: (settings: RunSettings, warnings: BudgetWarnings): FlushSettings => ({
        ...settings,
        eventBudget: new EventBudget(settings.BUDGET_EVENTS_PER_EMAIL_PER_MINUTE, warnings),
      }),
    },
    FlusherMetrics,
    Flusher,
  ],
  exports: [Flusher],
})
export class FlusherModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly flusher: Flusher,
    private readonly metrics: FlusherMetrics,
    private readonly producer: JobProducer,
    private readonly liveness: Liveness,
    private readonly live: LivePublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.flusher.onCommit(({ live, webhookDeliveries }) => {
      this.live.reportAll(live);
      if (webhookDeliveries.length > 0) void wakeWebhookDeliveries(this.producer, this.logger, webhookDeliveries);
    });
    this.metrics.observeStream(() => this.flusher.backlog());
    this.liveness.watch('flusher', () => this.flusher.lastProgressAt);
    this.flusher.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flusher.stop();
  }
}
