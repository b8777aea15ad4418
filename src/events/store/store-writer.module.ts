import { hostname } from 'node:os';
import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { METRICS } from '../../platform/health/metrics.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { EventConsumer } from '../stream/event-consumer.js';
import { STORE_GROUP } from '../stream/stream-keys.js';
import { TrailingGroup } from '../stream/trailing-group.js';
import { EventStore } from './event-store.js';
import { gapHours } from './store-gaps.js';
import { StoreMetrics } from './store-metrics.js';
import { StoreRemoval } from './store-removal.js';
import { StoreWriter } from './store-writer.js';

/** Writes to the event store if there is one. Otherwise it ensures that nothing waits for one. */
@Module({})
export class StoreWriterModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private writer: StoreWriter | undefined;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    private readonly database: Database,
    @Inject(METRICS) private readonly registry: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const { EVENT_STORE_URL: url } = this.settings;
    if (url) this.startWriter(url);
    else void new StoreRemoval(new TrailingGroup(this.redis), this.database, this.logger).run(this.stopping.signal);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.writer?.stop();
  }

  private startWriter(url: string): void {
    const { redis, database, logger } = this;
    const metrics = new StoreMetrics(this.registry);
    const consumer = new EventConsumer(redis, `${hostname()}-${uuidV7(this.clock.now())}`, STORE_GROUP);
    this.writer = new StoreWriter(consumer, new TrailingGroup(redis), database, new EventStore(url), logger, metrics);
    metrics.observe(
      () => consumer.backlog(),
      () => gapHours(database),
    );
    this.writer.start();
  }
}
