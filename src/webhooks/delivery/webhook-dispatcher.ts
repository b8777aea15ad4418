import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { DueDeliveries, type ClaimedWebhookDelivery } from './claim-deliveries.js';
import { WebhookSlots, isSaturated, SLOW_MS, type WebhookSlot } from './webhook-slots.js';
import { WebhookAttempter } from './webhook-attempter.js';

/** Maximum number of woken deliveries per statement. */
const MAX_WOKEN = 500;
/** Minimum time between two sweeps, because slots become free one by one. */
const SWEEP_PAUSE_MS = 25;

/**
 * Claims due deliveries and attempts them, as many at once as there are free slots. Postgres decides which are due; a
 * job or the sweep only triggers a query. A wake that finds no free slot is dropped, because each released slot
 * triggers another query.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleDestroy {
  private readonly slots: WebhookSlots;
  private readonly inFlight = new Set<Promise<void>>();
  /** Woken deliveries, each with the callbacks that resolve its waiting jobs after the claim. */
  private readonly woken = new Map<string, (() => void)[]>();
  /** True when the next claim must query all due deliveries. */
  private sweepRequested = false;
  private sweptLast = false;
  /** True while a delayed sweep is scheduled, so that a backlog is queried at intervals and not constantly. */
  private sweepPlanned = false;
  /** True while due deliveries may wait for a slot, so that each released slot triggers a sweep. */
  private mayHaveMore = false;
  private claiming: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly due: DueDeliveries,
    private readonly delivery: WebhookAttempter,
    @Inject(SETTINGS) settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.slots = new WebhookSlots(settings.WEBHOOK_CONCURRENCY);
  }

  /**
   * Resolves when the delivery is claimed, or cannot be claimed now. Waits neither for the attempt nor for other due
   * deliveries.
   */
  wake(deliveryId: string): Promise<void> {
    const claimed = new Promise<void>((resolve) => {
      this.woken.set(deliveryId, [...(this.woken.get(deliveryId) ?? []), resolve]);
    });
    void this.startClaiming();
    return claimed;
  }

  /** Triggers a claim of all due deliveries, as far as slots are free. Does not wait for it. */
  sweep(): void {
    this.sweepRequested = true;
    void this.startClaiming();
  }

  /** Stops claiming and waits for attempts in flight. Unfinished deliveries are due again when their lease ends. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    await this.claiming;
    await Promise.all(this.inFlight);
  }

  /**
   * Runs one claim at a time, so that slots are counted correctly. Deliveries that are woken during a claim share the
   * next one.
   */
  private startClaiming(): Promise<void> {
    this.claiming ??= this.claimUntilIdle();
    return this.claiming;
  }

  private async claimUntilIdle(): Promise<void> {
    await setImmediate(); // collects all deliveries woken in the same turn into one claim
    while (!this.stopping && (this.woken.size > 0 || this.sweepRequested)) {
      try {
        await this.claimOnce();
      } catch (error) {
        // The rows stay due, so the next sweep finds them.
        this.sweepRequested = false;
        this.takeWoken(this.woken.size).forEach(({ done }) => done());
        this.logger.warn({ err: error }, 'Webhook deliveries could not be claimed; the sweep retries');
      }
    }
    this.takeWoken(this.woken.size).forEach(({ done }) => done());
    this.claiming = undefined;
  }

  /** Alternates between woken deliveries and sweeps, so that neither waits for more than one claim of the other. */
  private async claimOnce(): Promise<void> {
    this.sweptLast = this.sweepRequested && (this.woken.size === 0 || !this.sweptLast);
    await (this.sweptLast ? this.claimDue() : this.claimWoken());
  }

  private async claimDue(): Promise<void> {
    this.sweepRequested = false;
    const free = this.slots.free;
    const claimed = await this.due.claimDue(free);
    this.mayHaveMore = isSaturated(free, claimed);
    for (const delivery of claimed) this.begin(delivery);
  }

  private async claimWoken(): Promise<void> {
    const woken = this.takeWoken(MAX_WOKEN);
    try {
      const free = this.slots.free;
      const ids = woken.map(({ id }) => id);
      const claimed = await this.due.claimWoken(ids, free);
      if (isSaturated(free, claimed)) this.mayHaveMore = true;
      for (const delivery of claimed) this.begin(delivery);
    } finally {
      woken.forEach(({ done }) => done());
    }
  }

  private takeWoken(most: number): { id: string; done: () => void }[] {
    const taken = [...this.woken].slice(0, most);
    return taken.map(([id, waiting]) => {
      this.woken.delete(id);
      return { id, done: () => waiting.forEach((resolve) => resolve()) };
    });
  }

  private begin(delivery: ClaimedWebhookDelivery): void {
    const slot = this.slots.take(delivery);
    const attempt = this.attempt(delivery, slot).finally(() => this.inFlight.delete(attempt));
    this.inFlight.add(attempt);
  }

  private async attempt(delivery: ClaimedWebhookDelivery, slot: WebhookSlot): Promise<void> {
    const startedAt = performance.now();
    const slow = setTimeout(() => {
      this.slots.markSlow(slot);
      if (this.mayHaveMore) void this.sweepSoon();
    }, SLOW_MS);
    const succeeded = await this.delivery.attempt(delivery).catch((error: unknown) => {
      this.logger.error(
        { deliveryId: delivery.id, err: error },
        'Webhook attempt aborted; its delivery is due again later',
      );
      return false;
    });
    clearTimeout(slow);
    this.slots.release(slot, performance.now() - startedAt);
    const hasRecovered = delivery.unhealthy && succeeded;
    if (this.mayHaveMore || hasRecovered) void this.sweepSoon();
  }

  private async sweepSoon(): Promise<void> {
    if (this.sweepPlanned || this.stopping) return;
    this.sweepPlanned = true;
    await sleep(SWEEP_PAUSE_MS);
    this.sweepPlanned = false;
    this.sweep();
  }
}
