import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import type { LiveMessage, LiveNews, LiveReport } from './live-message.js';
import { LiveStore } from './live-store.js';

/** At most four entries a second per organization and process; the first message after a pause is published at once. */
const INTERVAL_MS = 250;
const FIRST_MS = 15;
/** Delay while Redis is down. */
const RETRY_MS = 1_000;
/**
 * With more messages than this in one publication, a client would not read them one by one: it rereads its lists
 * instead.
 */
const MAX_MESSAGES = 25;
/** Organizations with messages in one publication. Clients of further ones reread their lists, too. */
const MAX_ORGANIZATIONS = 1_000;

/** The messages of one organization since the last publication. */
interface Waiting {
  /** By resource and type: an email that is opened ten times is one message. */
  readonly news: Map<string, { readonly news: LiveNews; readonly at: number }>;
  readonly maxMessages: number;
  /** True if some were omitted. */
  refresh: boolean;
}

/**
 * Publishes changes to clients that show them. It costs the caller no round trip: messages are collected in memory.
 * Organizations without listeners cost one lookup in Redis per interval, for all of them together.
 */
@Injectable()
export class LivePublisher implements OnApplicationShutdown {
  private waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private publishedAt = -Infinity;
  private publishing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: LiveStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Call this after the commit. Never throws. */
  report({ organizationId, ...news }: LiveReport): void {
    const waiting = this.waitingOf(organizationId);
    const key = `${news.type} ${news.emailId ?? news.broadcastId ?? news.webhookId}`;
    if (waiting.news.size < waiting.maxMessages) waiting.news.set(key, { news, at: this.clock.now() });
    else if (!waiting.news.has(key)) waiting.refresh = true;
    this.schedule(Math.max(FIRST_MS, this.publishedAt + INTERVAL_MS - performance.now()));
  }

  reportAll(reports: readonly LiveReport[]): void {
    for (const report of reports) this.report(report);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.publish();
  }

  private waitingOf(organizationId: string): Waiting {
    const known = this.waiting.get(organizationId);
    if (known) return known;
    const maxMessages = this.waiting.size < MAX_ORGANIZATIONS ? MAX_MESSAGES : 0;
    const added: Waiting = { news: new Map(), maxMessages, refresh: false };
    this.waiting.set(organizationId, added);
    return added;
  }

  private schedule(milliseconds: number): void {
    this.timer ??= setTimeout(() => void this.publish(), milliseconds).unref();
  }

  private publish(): Promise<void> {
    this.timer = undefined;
    this.publishing = this.publishing.then(() => this.publishWaiting());
    return this.publishing;
  }

  private async publishWaiting(): Promise<void> {
    const { waiting } = this;
    if (waiting.size === 0) return;
    this.waiting = new Map();
    this.publishedAt = performance.now();
    const failed = new Set(waiting.keys());
    try {
      const listened = new Set(await this.store.listened([...waiting.keys()]));
      for (const organizationId of waiting.keys()) if (!listened.has(organizationId)) failed.delete(organizationId);
      await Promise.all(
        [...listened].map(async (organizationId) => {
          await this.store.append(organizationId, messagesOf(waiting.get(organizationId)!, this.clock.now()));
          failed.delete(organizationId);
        }),
      );
    } catch {
      this.refreshLater(failed);
    }
  }

  /** Clients that still listen when Redis is back reread everything. */
  private refreshLater(organizationIds: Iterable<string>): void {
    for (const organizationId of organizationIds) this.waitingOf(organizationId).refresh = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.schedule(RETRY_MS);
  }
}

function messagesOf({ news, refresh }: Waiting, now: number): Parameters<LiveStore['append']>[1] {
  const messages = [...news.values()].map((one) => toMessage(one.news, one.at));
  return refresh ? [...messages, { type: 'refresh', at: new Date(now).toISOString() }] : messages;
}

function toMessage(news: LiveNews, at: number): LiveMessage {
  const present = Object.entries(news).filter(([, value]) => value !== null && value !== undefined);
  return { ...(Object.fromEntries(present) as unknown as LiveNews), at: new Date(at).toISOString() };
}
