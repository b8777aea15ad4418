import { pino } from 'pino';
import { request } from 'undici';
import type { Redis } from 'ioredis';
import { decodeEntries } from '../../../src/events/ingest/decode-entries.js';
import type { FlushResult } from '../../../src/events/ingest/flush-batch.js';
import { flushDecoded } from '../../../src/events/ingest/flush-entries.js';
import { redriveDeadLetters } from '../../../src/events/dead-letters/redrive-dead-letters.js';
import type { StreamEntry } from '../../../src/events/stream/stream-entry.js';
import { ENTRY_FIELD, EVENT_STREAM, packedEventsOf } from '../../../src/events/stream/stream-keys.js';
import { JobProducer } from '../../../src/platform/queue/job-producer.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { wakeWebhookDeliveries } from '../../../src/webhooks/wake-webhook-deliveries.js';
import { eventually } from '../eventually.js';
import { AWAIT_RESULT, TestService } from '../service.js';
import { EVENT_KEYS } from './reports.js';

export const SOFT_BOUNCE_LIMIT = 2;

const silent = pino({ level: 'silent' });

/** Delivered so often, an entry becomes a dead letter. */
const TOO_OFTEN = 11;

/**
 * A service without flusher, and a tracking edge with a clock of its own: the test decides when hits happen, and when
 * and how the entries of the stream are flushed.
 */
export class StreamBed {
  private last = '-';
  private readonly seen = new Set<string>();
  private readonly producer: JobProducer;

  private constructor(
    readonly service: TestService,
    private readonly edge: TestService,
    private readonly redis: Redis,
    private readonly clock: { at: number },
  ) {
    this.producer = new JobProducer(redis, silent);
  }

  static async start(): Promise<StreamBed> {
    const service = await TestService.start({
      environment: {
        ...{ ROLES: 'api,worker', ...AWAIT_RESULT, ...EVENT_KEYS, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
        ...{ SOFT_BOUNCE_LIMIT: String(SOFT_BOUNCE_LIMIT), RATE_LIMIT_PER_MINUTE: '0' },
      },
    });
    const clock = { at: Date.now() };
    const edge = await TestService.start({
      beside: service,
      clock: { now: () => clock.at },
      environment: { ROLES: 'tracking', EVENTS_PER_EMAIL_PER_MINUTE: '65535' },
    });
    return new StreamBed(service, edge, connectForBlocking(service.settings.REDIS_URL), clock);
  }

  async stop(): Promise<void> {
    await this.producer.onApplicationShutdown();
    this.redis.disconnect();
    await this.edge.stop();
    await this.service.stop();
  }

  /** Requests a tracking URL at this time, with exactly these headers. @returns the status */
  async track(url: string, at: number, headers: Record<string, string>, form?: string): Promise<number> {
    this.clock.at = at;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await request(this.edge.address + new URL(url).pathname, {
      ...(form === undefined ? { headers } : { method: 'POST', body: form, headers: { ...headers, ...type } }),
    });
    await response.body.dump();
    return response.statusCode;
  }

  /** The entries that were appended since the last call. */
  async appended(): Promise<StreamEntry[]> {
    const from = this.last === '-' ? '-' : `(${this.last}`;
    const found = await this.redis.xrangeBuffer(EVENT_STREAM, from, '+');
    this.last = found.at(-1)?.[0].toString() ?? this.last;
    return found.map(([id, fields]) => {
      const packed = packedEventsOf(fields)!;
      return { id: id.toString(), packed, raw: packed, deliveries: 1 };
    });
  }

  /**
   * Waits for the entry of what happened last, which is late if Redis was slow. Others have events without effect: that
   * an email was sent, or those of an earlier entry once more.
   */
  async nextAppended(type: 'sent' | 'other'): Promise<{ entry: StreamEntry; others: readonly StreamEntry[] }> {
    const others: StreamEntry[] = [];
    const isWanted = (entry: StreamEntry): boolean => {
      const isSent = decodeEntries([entry]).events[0]?.event.type === 'sent';
      return isSent === (type === 'sent') && !this.seen.has(keyOf(entry));
    };
    const entry = await eventually(async () => {
      const found = await this.appended();
      const wanted = found.find(isWanted);
      others.push(...found.filter((one) => one !== wanted));
      return wanted;
    });
    this.seen.add(keyOf(entry));
    return { entry, others };
  }

  /** Stores entries as a flusher does. @param events per transaction */
  async flush(entries: readonly StreamEntry[], events: number): Promise<void> {
    const { database, settings } = this.service;
    const due: string[] = [];
    const stored = ({ webhookDeliveries }: FlushResult): void => void due.push(...webhookDeliveries);
    await flushDecoded(database, decodeEntries(entries), settings, { events, stored });
    await wakeWebhookDeliveries(this.producer, silent, due);
  }

  /** Makes dead letters of entries, as when they crash their flushers. */
  async bury(entries: readonly StreamEntry[]): Promise<void> {
    await this.flush(
      entries.map((entry) => ({ ...entry, deliveries: TOO_OFTEN })),
      1,
    );
  }

  /** Appends all dead letters to the stream again. */
  async redrive(): Promise<void> {
    const append = async (payload: Buffer): Promise<void> =>
      void (await this.redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, payload));
    await redriveDeadLetters(this.service.database, append, 'all');
  }

  async deadLetters(): Promise<number> {
    const [row] = await this.service.database.query<{ count: number }>(
      'select count(*)::int as count from event_dead_letters',
    );
    return row!.count;
  }
}

/** Entries of the same events have the same key. */
export function keyOf({ packed }: StreamEntry): string {
  return packed!.toString('base64');
}
