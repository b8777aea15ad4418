import type { Clock } from '../platform/clock/clock.js';
import { uuidV7 } from '../platform/clock/uuid-v7.js';
import type { EventSum, SingleEvent } from '../events/engagement-event.js';
import type { EventSink } from './event-sink.js';

/** So much of what was answered is lost when the process is killed. */
const INTERVAL_MS = 1_000;
/** Sums that neither Redis nor the disk took, to be tried again. */
const MOST_KEPT = 10_000;

/** Hits of one email, counted until they go together. */
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
 * Counts hits of emails that get more than are stored one by one. Every second there is one event for each such email,
 * however many hits and links it has; its id makes it count once, however often it is appended.
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

  /** Hands over what was counted so far. */
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

  /** The appender has said that events are being lost; what is too much to keep, is. */
  private keep(event: EventSum): void {
    if (this.kept.length >= MOST_KEPT) return;
    this.kept.push(event);
    this.timer ??= setTimeout(() => this.append(), INTERVAL_MS).unref();
  }
}
