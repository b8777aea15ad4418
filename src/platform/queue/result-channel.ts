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

/** The end of an email, as it is committed. */
export type EmailResult =
  | { readonly status: 'sent'; readonly providerId: string; readonly urls: readonly string[] }
  | { readonly status: 'failed'; readonly reason: string };

/** JSON, with the result where the worker has it at hand. */
interface Message {
  readonly emailId: string;
  readonly result?: EmailResult | undefined;
}

const resultsOf = (instance: string) => `{mailbeacon}:ends:${instance}`;
/** What builds before this one listen to, and workers among them tell: the bare id of an email. */
const idsOf = (instance: string) => `{mailbeacon}:results:${instance}`;

/** The worker's side: tells the one instance that waits. Nobody else hears of it, so nobody else pays for it. */
export async function announceResult(
  redis: Redis,
  instance: string,
  emailId: string,
  result?: EmailResult,
): Promise<void> {
  const listeners = await redis.publish(resultsOf(instance), JSON.stringify({ emailId, result } satisfies Message));
  if (listeners === 0) await redis.publish(idsOf(instance), emailId);
}

/**
 * The API's side: learns that an email reached its final state, and which. One subscription per process, on channels
 * of its own. Messages are sent after the commit. Whoever hears none, or one without the result, reads Postgres: a
 * lost one costs time, never truth.
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
    // A subscription waits for as long as it takes and comes back by itself after a reconnect.
    this.subscriber = redis.duplicate({
      commandTimeout: undefined,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      autoResubscribe: false,
    });
    this.subscriber.on('error', (error) => this.logger.debug({ err: error }, 'Result channel lost Redis'));
    this.subscriber.on('message', (channel, message) => this.hear(channel, message));
  }

  /** Anew with every connection: a subscription whose connection broke before its answer came would never be. */
  onModuleInit(): void {
    this.subscriber.on('ready', () => void this.subscribe());
    if (this.subscriber.status === 'ready') void this.subscribe();
    // A subscription to a primary that was demoted hears no refusal that would make it reconnect: it follows.
    this.redis.on('reconnecting', this.follow);
  }

  private readonly follow = (): void => {
    if (this.subscriber.status === 'ready') this.subscriber.disconnect(true);
  };

  /** Whoever waits gets the answer of now: the email goes on without us. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const wake of this.waiting.values()) wake();
  }

  onApplicationShutdown(): void {
    this.redis.off('reconnecting', this.follow);
    this.subscriber.disconnect();
  }

  private async subscribe(): Promise<void> {
    try {
      await this.subscriber.subscribe(resultsOf(this.instance), idsOf(this.instance));
    } catch (error) {
      this.logger.warn(
        { err: error },
        'Could not subscribe to delivery results; trying again with the next connection',
      );
    }
  }

  private hear(channel: string, message: string): void {
    if (channel === idsOf(this.instance)) return this.waiting.get(message)?.();
    const read = readMessage(message);
    if (read) this.waiting.get(read.emailId)?.(read.result);
    else this.logger.warn('A delivery result is malformed and was ignored: does another program use this Redis?');
  }

  /** Call before the email is queued, so that no result can come too early. */
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
      forget: () => this.waiting.delete(emailId),
    };
  }
}

/** Undefined for what no worker writes: whoever else can publish here must not end the process. */
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
   * Resolves when the email is final, the time is over or the process stops, whichever comes first; with the result
   * where it came along.
   */
  arrivedWithin(milliseconds: number): Promise<EmailResult | undefined>;
  forget(): void;
}
