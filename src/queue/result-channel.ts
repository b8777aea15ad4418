import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LOGGER, type Logger } from '../logging/logger.js';
import { REDIS } from '../redis/connect.js';

const channelOf = (instance: string) => `{mailbeacon}:results:${instance}`;

/** The worker's side: tells the one instance that waits. Nobody else hears of it, so nobody else pays for it. */
export async function announceResult(redis: Redis, instance: string, emailId: string): Promise<void> {
  await redis.publish(channelOf(instance), emailId);
}

/**
 * The API's side: learns that an email reached its final state. One subscription per process, on a channel of
 * its own. A message only wakes the waiter, who then reads Postgres; a lost one costs time, never truth.
 */
@Injectable()
export class ResultChannel implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  readonly instance = randomUUID();
  private readonly waiting = new Map<string, () => void>();
  private readonly subscriber: Redis;
  private stopping = false;

  constructor(
    @Inject(REDIS) redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // A subscription waits for as long as it takes and comes back by itself after a reconnect.
    this.subscriber = redis.duplicate({
      commandTimeout: undefined,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      autoResubscribe: false,
    });
    this.subscriber.on('error', (error) => this.logger.debug({ err: error }, 'Result channel lost Redis'));
    this.subscriber.on('message', (_channel, emailId: string) => this.waiting.get(emailId)?.());
  }

  /** Anew with every connection: a subscription whose connection broke before its answer came would never be. */
  onModuleInit(): void {
    this.subscriber.on('ready', () => void this.subscribe());
    if (this.subscriber.status === 'ready') void this.subscribe();
  }

  /** Whoever waits gets the answer of now: the email goes on without us. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const wake of this.waiting.values()) wake();
  }

  onApplicationShutdown(): void {
    this.subscriber.disconnect();
  }

  private async subscribe(): Promise<void> {
    try {
      await this.subscriber.subscribe(channelOf(this.instance));
    } catch (error) {
      this.logger.warn(
        { err: error },
        'Could not subscribe to delivery results; trying again with the next connection',
      );
    }
  }

  /** Call before the email is queued, so that no result can come too early. */
  expect(emailId: string): PendingResult {
    let wake!: () => void;
    const arrived = new Promise<void>((resolve) => (wake = resolve));
    if (this.stopping) wake();
    this.waiting.set(emailId, wake);
    return {
      arrivedWithin: async (milliseconds) => {
        const timer = setTimeout(wake, milliseconds);
        await arrived;
        clearTimeout(timer);
      },
      forget: () => this.waiting.delete(emailId),
    };
  }
}

export interface PendingResult {
  /** Resolves when the result is there, the time is over or the process stops, whichever comes first. */
  arrivedWithin(milliseconds: number): Promise<void>;
  forget(): void;
}
