import { Global, Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { AppendMetrics } from './append-metrics.js';
import { EntryStore } from './entry-store.js';
import { EventAppender } from './event-appender.js';
import { Spool, spoolLimits } from './spool.js';
import { START_CHECK_DEADLINE_MS } from './spool-space.js';

/** One appender per process, for every role that creates events. */
@Global()
@Module({
  providers: [
    {
      provide: Spool,
      inject: [SETTINGS],
      useFactory: (settings: RunSettings) => new Spool(settings.SPOOL_DIRECTORY, spoolLimits(settings.SPOOL_MAX_BYTES)),
    },
    AppendMetrics,
    {
      provide: EntryStore,
      inject: [REDIS, Spool, CLOCK, LOGGER, AppendMetrics],
      useFactory: (redis: RedisConnection, spool: Spool, clock: Clock, logger: Logger, metrics: AppendMetrics) =>
        new EntryStore(redis, spool, clock, logger, (entries) => metrics.recordReplay(entries)),
    },
    EventAppender,
  ],
  exports: [EventAppender, Spool],
})
export class StreamModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly store: EntryStore,
    private readonly appender: EventAppender,
    private readonly metrics: AppendMetrics,
    private readonly spool: Spool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { store, spool } = this;
    this.metrics.observeSpool({
      bytes: () => spool.space.bytes,
      limitBytes: () => spool.space.limitBytes,
      refuses: () =>
        spool.space.requireWritable().then(
          () => Number(spool.refusal !== undefined),
          () => 1,
        ),
      unreadableSegments: () => store.unreadableSegments,
    });
    this.store.start();
    // Only an outage of Redis would show it otherwise, when events are lost.
    spool.space.requireWritable(START_CHECK_DEADLINE_MS).catch((error: unknown) => {
      const facts = { reason: String(error), folder: spool.directory };
      this.logger.warn(
        facts,
        'The spool cannot be written: set SPOOL_DIRECTORY to a folder that this account can write',
      );
    });
  }

  /** Runs last, when no request or delivery can create an event any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.appender.close();
  }
}
