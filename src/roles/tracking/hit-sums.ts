import type { Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import type { EventSum, SingleEvent } from '../../events/engagement-event.js';
import type { EventSink } from './event-sink.js';

/** If the process is killed, the hits of at most this time are lost. */
const INTERVAL_MS = 1_000;
/** Maximum number of sums kept for a retry after neither Redis nor the disk accepted them. */
const MAX_KEPT = 10_000;

/** Hits of one email, counted until they are appended together. */
class Sum {
  private opens = 0;
  private readonly clicks = new Map<number, number>();

  constructor(
    private readonly id: string,
    private readonly emailTrackingId: string,
  ) {}

  add(event: SingleEvent): void {
    if (event.type === 'clicked') this.clicks.set(event.linkPosition, (this.clicks.get(event.linkPosition) ?? 0) + 1);
    else this.opens++;
  }

  get event(): EventSum {
    const clicks = [...this.clicks].map(([linkPosition, count]) => ({ linkPosition, clicks: count }));
    return { type: 'summed', id: this.id, emailTrackingId: this.emailTrackingId, opens: this.opens, clicks };
  }
}

/**
 * Counts the hits of emails over the limit for single events. Every second, it appends one event for each such email,
 * whatever its number of hits and links. The event's ID deduplicates repeated appends.
 */
export class HitSums {
  private sums = new Map<string, Sum>();
  private kept: EventSum[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly events: EventSink,
    private readonly clock: Clock,
  ) {}

  add(event: SingleEvent): void {
    const { emailTrackingId } = event;
    let sum = this.sums.get(emailTrackingId);
    if (!sum) this.sums.set(emailTrackingId, (sum = new Sum(uuidV7(this.clock.now()), emailTrackingId)));
    sum.add(event);
    this.timer ??= setTimeout(() => this.append(), INTERVAL_MS).unref();
  }

  /** Appends all counts so far. */
  append(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const events = [...this.kept, ...[...this.sums.values()].map((sum) => sum.event)];
    this.kept = [];
    this.sums = new Map();
    for (const event of events) {
      this.events.appendFor(event, { stored: () => undefined, lost: () => this.keep(event) });
    }
  }

  /** Keeps a lost sum for a retry. Sums over the maximum are lost; the appender has already logged the loss. */
  private keep(event: EventSum): void {
    if (this.kept.length >= MAX_KEPT) return;
    this.kept.push(event);
    this.timer ??= setTimeout(() => this.append(), INTERVAL_MS).unref();
  }
}
