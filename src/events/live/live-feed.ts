import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import type { LiveReader } from './live-reader.js';
import { channelOf, LiveStore, readEntry } from './live-store.js';

/**
 * Passes the entries of Redis to the readers of this process, over one subscription, which is opened for the first
 * reader. The channel is fast but may lose entries; the stream shows which were lost.
 */
@Injectable()
export class LiveFeed implements OnModuleInit, OnApplicationShutdown {
  /** By channel. */
  private readonly readers = new Map<string, Set<LiveReader>>();
  private readonly subscriptions = new Map<string, Promise<unknown>>();
  private readonly subscriber: RedisConnection;
  private opening: Promise<void> | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    private readonly store: LiveStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.subscriber = redis.duplicate({ lazyConnect: true, autoResubscribe: false });
    this.subscriber.on('error', (error) =>
      this.logger.debug({ err: error }, 'Error on the Redis connection of live messages'),
    );
    this.subscriber.on('message', (channel, text) => this.onMessage(channel, text));
    this.subscriber.on('close', () => this.pauseAll());
    this.subscriber.on('ready', () => this.joinPaused());
  }

  onModuleInit(): void {
    // A subscription to a demoted primary gets no error, so it follows the other connection.
    this.redis.on('reconnecting', this.reconnect);
  }

  onApplicationShutdown(): void {
    this.redis.off('reconnecting', this.reconnect);
    this.subscriber.disconnect();
  }

  async add(reader: LiveReader): Promise<void> {
    const channel = channelOf(reader.organizationId);
    const others = this.readers.get(channel) ?? new Set();
    this.readers.set(channel, others.add(reader));
    await this.join(reader);
  }

  remove(reader: LiveReader): void {
    const channel = channelOf(reader.organizationId);
    const others = this.readers.get(channel);
    others?.delete(reader);
    if (!others || others.size > 0) return;
    this.readers.delete(channel);
    this.subscriptions.delete(channel);
    this.subscriber.unsubscribe(channel).catch(() => undefined);
  }

  /** Retries failed reads. */
  joinPaused(): void {
    if (this.subscriber.status !== 'ready') return;
    for (const reader of this.all()) if (reader.isPaused) void this.join(reader);
  }

  /** Renews the marks of organizations that have listeners, and reads entries that the channel has lost. */
  async refreshMarks(): Promise<void> {
    await Promise.all([...this.readers.values()].map((readers) => this.refreshMark(readers)));
  }

  private readonly reconnect = (): void => {
    if (this.subscriber.status === 'ready') this.subscriber.disconnect(true);
  };

  private async refreshMark(readers: ReadonlySet<LiveReader>): Promise<void> {
    const [first] = readers;
    try {
      const { lastId } = await this.store.open(first!.organizationId, undefined);
      for (const reader of readers) if (reader.isBehind(lastId)) void this.join(reader);
    } catch {
      for (const reader of readers) reader.pause();
    }
  }

  /** Subscribes before it reads the stream, so that no entry is missed in between. */
  private async join(reader: LiveReader): Promise<void> {
    const join = reader.join();
    try {
      await this.subscribe(channelOf(reader.organizationId));
      reader.catchUp(join, await this.store.open(reader.organizationId, reader.lastId));
    } catch {
      reader.pause(join);
    }
  }

  private async subscribe(channel: string): Promise<void> {
    this.opening ??= this.subscriber.connect().catch(() => undefined);
    await this.opening;
    let subscription = this.subscriptions.get(channel);
    if (!subscription) {
      subscription = this.subscriber.subscribe(channel);
      this.subscriptions.set(channel, subscription);
      subscription.catch(() => this.subscriptions.delete(channel));
    }
    await subscription;
  }

  private pauseAll(): void {
    this.subscriptions.clear();
    for (const reader of this.all()) reader.pause();
  }

  private onMessage(channel: string, text: string): void {
    const entry = readEntry(text);
    if (!entry) return this.logger.warn('Ignored a malformed live message: does another program use this Redis?');
    for (const reader of this.readers.get(channel) ?? []) reader.arrive(entry);
  }

  private all(): LiveReader[] {
    return [...this.readers.values()].flatMap((readers) => [...readers]);
  }
}
