import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { EventStore } from './event-store.js';
import { OldEvents } from './old-events.js';

/** The store of this process, or none. */
class OptionalStore {
  constructor(readonly store: EventStore | undefined) {}
}

/** For processes that read old events. */
@Global()
@Module({
  providers: [
    {
      provide: OptionalStore,
      inject: [SETTINGS],
      useFactory: ({ EVENT_STORE_URL: url }: RunSettings) => new OptionalStore(url ? new EventStore(url) : undefined),
    },
    {
      provide: OldEvents,
      inject: [OptionalStore, Database, LOGGER],
      useFactory: ({ store }: OptionalStore, database: Database, logger: Logger) =>
        new OldEvents(store, database, logger),
    },
  ],
  exports: [OldEvents],
})
export class EventStoreModule implements OnApplicationShutdown {
  constructor(private readonly optional: OptionalStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.optional.store?.close().catch(() => undefined);
  }
}
