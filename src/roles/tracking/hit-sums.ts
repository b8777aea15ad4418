import type { Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { SUM_INTERVAL_MS, type EventSum, type MachineHits, type SingleEvent } from '../../events/engagement-event.js';
import { machineClassOf } from '../../events/verdict.js';
import type { EventSink } from './event-sink.js';

/** Maximum number of sums kept for a retry after neither Redis nor the disk accepted them. */
const MAX_KEPT = 10_000;

/** Hits of one email, counted until they are appended together. */
class Sum {
  private opens = 0;
  private readonly clicks = new Map<number, number>();
  /** By class and link. A sum has few of them: at most four classes for each link that was hit. */
  private readonly machines = new Map<string, MachineHits>();

  constructor(
    private readonly id: string,
    private readonly emailTrackingId: string,
  ) {}

  add(event: SingleEvent): void {
    if (event.type === 'clicked') this.clicks.set(event.linkPosition, (this.clicks.get(event.linkPosition) ?? 0) + 1);
    else this.opens++;
    const machine = event.type === 'sent' || !event.verdict ? undefined : machineClassOf(event.verdict);
    if (machine !== undefined) this.addMachine(machine, event.type === 'clicked' ? event.linkPosition : undefined);
  }

  private addMachine(machine: MachineHits['class'], linkPosition: number | undefined): void {
    const key = `${machine}/${linkPosition ?? ''}`;
    const hits = (this.machines.get(key)?.hits ?? 0) + 1;
    this.machines.set(key, { class: machine, ...(linkPosition !== undefined && { linkPosition }), hits });
  }

  get event(): EventSum {
    const clicks = [...this.clicks].map(([linkPosition, count]) => ({ linkPosition, clicks: count }));
    const { id, emailTrackingId, opens, machines } = this;
    return {
      type: 'summed',
      id,
      emailTrackingId,
      opens,
      clicks,
      ...(machines.size > 0 && { machines: [...machines.values()] }),
    };
  }
}

/**
 * Counts the hits of emails over the limit for single events. Every second, it appends one event for each such email,
 * regardless of its number of hits and links. The event's ID deduplicates repeated appends.
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
    this.timer ??= setTimeout(() => this.append(), SUM_INTERVAL_MS).unref();
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
    this.timer ??= setTimeout(() => this.append(), SUM_INTERVAL_MS).unref();
  }
}
