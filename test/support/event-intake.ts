import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { RecipientEvent } from '../../src/events/recipient-event.js';
import { decodeEntry } from '../../src/events/stream/codec/event-codec.js';
import { EVENT_STREAM, packedEventsOf } from '../../src/events/stream/stream-keys.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { PrivateRedis } from './private-redis.js';
import { TestService } from './service.js';

const SPOOL_LIMIT = 10_000_000;

/**
 * A service that runs only the API, with a Redis server of its own: the events that providers report stay in the
 * stream, and a test can make it impossible to store them.
 */
export class EventIntake {
  private constructor(
    private readonly server: PrivateRedis,
    private readonly redis: Redis,
    readonly service: TestService,
  ) {}

  /** @param environment settings of the provider whose events are reported */
  static async start(environment: Readonly<Record<string, string>>): Promise<EventIntake> {
    const server = await PrivateRedis.start();
    const service = await TestService.start({
      environment: { ROLES: 'api', REDIS_URL: server.url, SPOOL_MAX_BYTES: String(SPOOL_LIMIT), ...environment },
    });
    return new EventIntake(server, connectForBlocking(server.url), service);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    this.redis.disconnect();
    await this.server.remove();
  }

  /** The events that were stored since the stream was last emptied. */
  async stored(): Promise<RecipientEvent[]> {
    const entries = await this.redis.xrangeBuffer(EVENT_STREAM, '-', '+');
    return entries.flatMap(([, fields]) => {
      return decodeEntry(packedEventsOf(fields)!).events as unknown as RecipientEvent[];
    });
  }

  async empty(): Promise<void> {
    await this.redis.del(EVENT_STREAM);
  }

  /** The number of calls of the provider that ended in this way. */
  async calls(provider: string, outcome: string): Promise<number> {
    const { values } = await this.service.metrics.getSingleMetric('mailbeacon_provider_event_calls_total')!.get();
    return values.find(({ labels }) => labels['provider'] === provider && labels['outcome'] === outcome)!.value;
  }

  /** Fills Redis and the disk, so that no event can be stored. The returned function makes room again. */
  async fillUp(): Promise<() => Promise<void>> {
    await this.server.command('CONFIG', 'SET', 'maxmemory', '1');
    const filler = join(this.service.settings.SPOOL_DIRECTORY, 'of-another-process.damaged');
    await writeFile(filler, '');
    await truncate(filler, SPOOL_LIMIT);
    return async () => {
      await rm(filler);
      await this.server.command('CONFIG', 'SET', 'maxmemory', '0');
    };
  }

  /** Runs `test` with a service beside it that accepts no events of providers. */
  async besideOneWithout(test: (other: TestService) => Promise<void>): Promise<void> {
    const environment = { ROLES: 'api', REDIS_URL: this.server.url };
    const other = await TestService.start({ beside: this.service, environment });
    try {
      await test(other);
    } finally {
      await other.stop();
    }
  }
}
