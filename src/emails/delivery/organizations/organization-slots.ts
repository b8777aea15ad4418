import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../../platform/config/settings.js';

interface Share {
  held: number;
  /** Moving average of how long this organization holds a slot, in milliseconds. */
  averageMs: number;
  /** When the last job that was put off comes back. */
  nextAt: number;
}

/** Weight of the newest duration in the average. */
const NEWEST = 0.2;
const FIRST_AVERAGE_MS = 100;
/**
 * An organization that holds a slot for longer on average is slow. A job with emails of a broadcast takes seconds, too.
 */
const SLOW_MS = 2_000;
/** Share of the slots that slow organizations leave free. */
const SHARE_OF_QUICK = 0.25;
const SHORTEST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 60_000;
/** Organizations whose averages are kept for their next jobs. */
const MAX_SHARES = 1_000;

/**
 * Slots of this process for jobs whose emails go through an organization's own providers. They are apart from those of
 * the service's providers, because an organization can make its own as slow as it likes. An organization may hold as
 * many slots as are free: a single one gets half of them. A quarter is for organizations that are quick or not known
 * yet, so that any number of slow ones leave some to the next. Those that become slow at the same time hold what they
 * have until their calls end, at the latest at DELIVERY_TIMEOUT_MS.
 */
@Injectable()
export class OrganizationSlots {
  private readonly shares = new Map<string, Share>();
  readonly capacity: number;
  private held = 0;
  private stopping = false;

  /** Called with the number of held slots whenever it changes. */
  onChange: (held: number) => void = () => undefined;

  constructor(
    @Inject(SETTINGS) settings: Pick<RunSettings, 'WORKER_CONCURRENCY'>,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
  ) {
    this.capacity = Math.max(2, settings.WORKER_CONCURRENCY);
  }

  /** @returns what frees the slot; undefined without a free one for this organization */
  tryTake(organizationId: string): (() => void) | undefined {
    const share = this.shareOf(organizationId);
    const kept = share.averageMs > SLOW_MS ? Math.ceil(this.capacity * SHARE_OF_QUICK) : 0;
    if (this.stopping || share.held >= this.capacity - kept - this.held) return undefined;
    const takenAt = this.clock.now();
    this.count(share, 1);
    return () => {
      share.averageMs += NEWEST * (this.clock.now() - takenAt - share.averageMs);
      this.count(share, -1);
      this.forgetIdle();
    };
  }

  /**
   * When a job that got no slot tries again, in milliseconds. Jobs of an organization come back one after the other, at
   * the pace at which it frees slots: thousands of them must not ask again and again.
   */
  delayMs(organizationId: string): number {
    const share = this.shareOf(organizationId);
    const now = this.clock.now();
    const interval = share.averageMs / Math.max(1, share.held);
    share.nextAt = Math.min(Math.max(now, share.nextAt) + interval, now + LONGEST_DELAY_MS);
    return Math.max(SHORTEST_DELAY_MS, Math.ceil(share.nextAt - now));
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** A stopping worker leaves further jobs to others. */
  stop(): void {
    this.stopping = true;
  }

  private shareOf(organizationId: string): Share {
    let share = this.shares.get(organizationId);
    if (!share) {
      share = { held: 0, averageMs: FIRST_AVERAGE_MS, nextAt: 0 };
      this.shares.set(organizationId, share);
    }
    return share;
  }

  private count(share: Share, change: 1 | -1): void {
    share.held += change;
    this.held += change;
    this.onChange(this.held);
  }

  private forgetIdle(): void {
    const now = this.clock.now();
    for (const [organizationId, { held, nextAt }] of this.shares) {
      if (this.shares.size <= MAX_SHARES) return;
      if (held === 0 && nextAt <= now) this.shares.delete(organizationId);
    }
  }
}
