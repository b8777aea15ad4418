import { Inject, Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { MONOTONIC_CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../../platform/config/settings.js';
import { METRICS } from '../../../platform/health/metrics.js';
import type { DeliveryOutcome } from '../../../providers/provider.js';
import { AdaptiveLimit } from './adaptive-limit.js';

/** Longest wait for a slot before the job returns to the queue, where an idle worker may take it. */
export const LONGEST_SLOT_WAIT_MS = 5_000;
const CHECK_EVERY_MS = 1_000;

interface Waiter {
  readonly since: number;
  readonly end: (hasSlot: boolean) => void;
}

/**
 * Slots for the deliveries of this process, as many as the provider's speed needs. A crash leaves every running
 * delivery with an unknown outcome. Deliveries that would only queue at the provider therefore wait here, before they
 * claim anything.
 */
@Injectable()
export class ProviderSlots {
  private readonly limit: AdaptiveLimit;
  /** In order of arrival. */
  private readonly waiting = new Set<Waiter>();
  private underWay = 0;
  private isStopping = false;
  private timer?: NodeJS.Timeout;

  constructor(
    @Inject(SETTINGS) settings: RunSettings,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
    @Inject(METRICS) registry: Registry,
  ) {
    const limit = new AdaptiveLimit(settings.WORKER_CONCURRENCY, clock.now());
    this.limit = limit;
    new Gauge({
      name: 'mailbeacon_provider_call_limit',
      help: 'Maximum number of concurrent provider calls; below WORKER_CONCURRENCY if a backlog showed that more do not speed it up',
      registers: [registry],
      collect() {
        this.set(limit.limit);
      },
    });
  }

  /** Resolves with true once there is a slot, to be freed; with false when the job must return to the queue. */
  take(): Promise<boolean> {
    if (this.isStopping) return Promise.resolve(false);
    return new Promise((end) => {
      this.waiting.add({ since: this.clock.now(), end });
      this.assign();
      this.checkLater();
    });
  }

  /** Takes a slot if one is free now and no earlier delivery waits for it. */
  tryTake(): boolean {
    if (this.isStopping || this.waiting.size > 0 || this.underWay >= this.limit.limit) return false;
    this.underWay += 1;
    this.limit.observe(this.underWay, this.clock.now());
    return true;
  }

  free(): void {
    this.underWay -= 1;
    this.assign();
  }

  /** Measures the provider's speed. Only emails that it accepted or refused count. */
  async observe(call: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
    const startedAt = this.clock.now();
    const outcome = await call();
    const isDecided = outcome.kind === 'accepted' || outcome.kind === 'refused';
    if (isDecided) this.limit.delivered(startedAt, this.clock.now());
    return outcome;
  }

  /** Ends all waits: a stopping worker finishes its running deliveries and leaves the rest to other workers. */
  stop(): void {
    this.isStopping = true;
    clearTimeout(this.timer);
    for (const waiter of this.waiting) this.end(waiter, false);
  }

  private assign(): void {
    this.limit.observe(this.underWay + this.waiting.size, this.clock.now());
    for (const waiter of this.waiting) {
      if (this.underWay >= this.limit.limit) return;
      this.underWay += 1;
      this.end(waiter, true);
    }
  }

  /** While calls hang, no other event checks the limit. */
  private checkLater(): void {
    if (this.waiting.size === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.checkWaits();
      this.checkLater();
    }, CHECK_EVERY_MS).unref();
  }

  private checkWaits(): void {
    this.assign();
    const now = this.clock.now();
    for (const waiter of this.waiting) {
      if (now - waiter.since < LONGEST_SLOT_WAIT_MS) return;
      this.end(waiter, false);
    }
  }

  private end(waiter: Waiter, hasSlot: boolean): void {
    this.waiting.delete(waiter);
    waiter.end(hasSlot);
  }
}
