import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Pool } from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock, type Clock } from '../../../src/platform/clock/clock.js';
import { Database } from '../../../src/platform/database/database.js';
import { Flusher } from '../../../src/roles/flusher/flusher.js';
import { ALL_RULES_OFF } from '../../../src/events/ingest/rules/hit.js';
import { FlusherMetrics } from '../../../src/roles/flusher/flusher-metrics.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import type { StreamEvent } from '../../../src/events/stream/stream-event.js';
import { EventConsumer } from '../../../src/events/stream/event-consumer.js';
import { ENTRY_FIELD, EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../../support/services.js';

const silent = pino({ level: 'silent' });

/** A real stream and a real database, with any number of flushers between them. */
export class EventPipeline {
  private readonly flushers: Flusher[] = [];
  private readonly consumers: EventConsumer[] = [];

  private constructor(
    /** For the commands of the test itself: waits for as long as a busy machine takes. */
    readonly redis: Redis,
    private readonly commands: Redis,
    readonly redisUrl: string,
    private readonly testDatabase: Pick<TestDatabase, 'url' | 'discard'>,
    private readonly pool: Pool,
  ) {}

  /** @param databaseUrl of a database that the caller creates and drops */
  static async open(redisUrl?: string, databaseUrl?: string): Promise<EventPipeline> {
    const testDatabase = databaseUrl ? { url: databaseUrl, discard: () => undefined } : await createTestDatabase();
    const url = redisUrl ?? (await createTestRedis()).url;
    const commands = connectForCommands(url);
    const redis = commands.duplicate({ commandTimeout: undefined });
    for (const connection of [commands, redis]) {
      connection.on('error', () => undefined);
      await eventually(() => connection.status === 'ready');
    }
    const pool = new Pool({ connectionString: testDatabase.url, max: 12 });
    pool.on('error', () => undefined);
    return new EventPipeline(redis, commands, url, testDatabase, pool);
  }

  get database(): Database {
    return new Database(this.pool);
  }

  get databaseUrl(): string {
    return this.testDatabase.url;
  }

  consumer(name: string = randomUUID(), group?: string): EventConsumer {
    const consumer = new EventConsumer(this.commands, name, group);
    this.consumers.push(consumer);
    return consumer;
  }

  startFlusher(consumer = this.consumer(), database = this.database, clock: Clock = systemClock): Flusher {
    const flusher = new Flusher(consumer, database, clock, silent, new FlusherMetrics(new Registry()), {
      SOFT_BOUNCE_LIMIT: 5,
      ...ALL_RULES_OFF,
    });
    flusher.start();
    this.flushers.push(flusher);
    return flusher;
  }

  async stopFlushers(): Promise<void> {
    await Promise.all(this.flushers.splice(0).map((flusher) => flusher.stop()));
  }

  async append(...events: StreamEvent[]): Promise<string> {
    return this.appendRaw(ENTRY_FIELD, packEntry(events.map(encodeEvent)));
  }

  async appendRaw(field: string, value: Buffer | string): Promise<string> {
    return (await this.redis.xadd(EVENT_STREAM, '*', field, value))!;
  }

  /** True when everything in the stream has been read, acknowledged and trimmed. */
  async isDrained(): Promise<boolean> {
    if ((await this.redis.xlen(EVENT_STREAM)) > 0) return false;
    return (await this.redis.xpending(EVENT_STREAM, FLUSHER_GROUP))[0] === 0;
  }

  async close(): Promise<void> {
    await this.stopFlushers();
    for (const consumer of this.consumers) consumer.close();
    for (const connection of [this.redis, this.commands]) connection.disconnect();
    await this.pool.end();
    this.testDatabase.discard();
  }
}
