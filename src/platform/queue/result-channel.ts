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

/** The committed final state of an email. */
export type EmailResult =
  | { readonly status: 'sent'; readonly providerId: string; readonly urls: readonly string[] }
  | { readonly status: 'failed'; readonly reason: string };

/** Message format: JSON, with the result if the worker has it. */
interface Message {
  readonly emailId: string;
  readonly result?: EmailResult | undefined;
}

/** The channel on which workers publish the results for an API instance. */
export const resultChannelOf = (instance: string) => `{mailbeacon}:ends:${instance}`;

/** The worker's side: publishes the result only to the API instance that waits for it. */
export async function announceResult(
  redis: Redis,
  instance: string,
  emailId: string,
  result?: EmailResult,
): Promise<void> {
  await redis.publish(resultChannelOf(instance), JSON.stringify({ emailId, result } satisfies Message));
}

/**
 * The API's side: receives the final states of emails, on one subscription and channel per process. Workers publish
 * after the commit. Without a message, or with one that lacks the result, the API reads Postgres. A lost message costs
 * time but never correctness.
 */
@Injectable()
export class ResultChannel implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  readonly instance = randomUUID();
  private readonly waiting = new Map<string, Wake>();
  private readonly subscriber: Redis;
  private stopping = false;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // A subscription has no timeout. We resubscribe ourselves after a reconnect.
    this.subscriber = redis.duplicate({
      commandTimeout: undefined,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      autoResubscribe: false,
    });
    this.subscriber.on('error', (error) =>
      this.logger.debug({ err: error }, 'The result channel lost the connection to Redis'),
    );
    this.subscriber.on('message', (_channel, message) => this.onMessage(message));
  }

  /** Subscribes on every connection: ioredis does not repeat a subscription that failed with its connection. */
  onModuleInit(): void {
    this.subscriber.on('ready', () => void this.subscribe());
    if (this.subscriber.status === 'ready') void this.subscribe();
    // A subscription to a demoted primary gets no error that would make it reconnect, so it follows the other
    // connection.
    this.redis.on('reconnecting', this.reconnect);
  }

  private readonly reconnect = (): void => {
    if (this.subscriber.status === 'ready') this.subscriber.disconnect(true);
  };

  /** Wakes all waiting requests, which respond with the current state. The emails continue without this process. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const wake of this.waiting.values()) wake();
  }

  onApplicationShutdown(): void {
    this.redis.off('reconnecting', this.reconnect);
    this.subscriber.disconnect();
  }

  private async subscribe(): Promise<void> {
    try {
      await this.subscriber.subscribe(resultChannelOf(this.instance));
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not subscribe to delivery results; retrying on the next connection');
    }
  }

  private onMessage(message: string): void {
    const read = readMessage(message);
    if (read) this.waiting.get(read.emailId)?.(read.result);
    else this.logger.warn('Ignored a malformed delivery result: does another program use this Redis?');
  }

  /** Call this before the email is queued, so that no result arrives unnoticed. */
  expect(emailId: string): PendingResult {
    let wake!: Wake;
    const arrived = new Promise<EmailResult | undefined>((resolve) => (wake = resolve));
    if (this.stopping) wake();
    this.waiting.set(emailId, wake);
    return {
      arrivedWithin: async (milliseconds) => {
        const timer = setTimeout(wake, milliseconds);
        const result = await arrived;
        clearTimeout(timer);
        return result;
      },
      close: () => void this.waiting.delete(emailId),
    };
  }
}

/** Returns undefined for malformed messages: other programs on the same Redis must not crash the process. */
function readMessage(text: string): Message | undefined {
  try {
    const { emailId, result } = JSON.parse(text) as { emailId?: unknown; result?: unknown };
    if (typeof emailId !== 'string') return undefined;
    return { emailId, result: isResult(result) ? result : undefined };
  } catch {
    return undefined;
  }
}

function isResult(value: unknown): value is EmailResult {
  const { status, reason, providerId, urls } = (value ?? {}) as Record<string, unknown>;
  if (status === 'failed') return typeof reason === 'string';
  const areUrls = Array.isArray(urls) && urls.every((url) => typeof url === 'string');
  return status === 'sent' && typeof providerId === 'string' && areUrls;
}

type Wake = (result?: EmailResult) => void;

export interface PendingResult {
  /**
   * Resolves when the email is final, the time is up or the process stops, whichever comes first. Includes the result
   * if the message had it.
   */
  arrivedWithin(milliseconds: number): Promise<EmailResult | undefined>;
  /** Stops the wait. */
  close(): void;
}
