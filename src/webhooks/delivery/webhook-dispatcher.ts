import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { DueDeliveries, type ClaimedWebhookDelivery } from './claim-deliveries.js';
import { WebhookSlots, filled, SLOW_MS, type Place } from './webhook-slots.js';
import { WebhookAttempter } from './webhook-attempter.js';

/** Most woken deliveries that one statement looks at. */
const MOST_WOKEN = 500;
/** Between two looks at everything that is due: places become free one by one. */
const LOOK_PAUSE_MS = 25;

/**
 * Takes due deliveries and attempts them, as many at once as there are places. Postgres says what is due; a job or
 * the sweep only makes it look. A wake that finds no place is forgotten, because whoever gives one back looks again.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleDestroy {
  private readonly places: WebhookSlots;
  private readonly underWay = new Set<Promise<void>>();
  /** What jobs have woken, with what tells each of them that its claim is over. */
  private readonly woken = new Map<string, (() => void)[]>();
  /** True when the next claim must look at everything that is due. */
  private mustLook = false;
  private lookedLast = false;
  /** True while a look waits for its time, so that a backlog is looked at now and then, not all the time. */
  private lookPlanned = false;
  /** True while something may be due that found no place: then whoever gives one back has to look. */
  private mayHaveMore = false;
  private turning: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly due: DueDeliveries,
    private readonly delivery: WebhookAttempter,
    @Inject(SETTINGS) settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.places = new WebhookSlots(settings.WEBHOOK_CONCURRENCY);
  }

  /**
   * Resolves when the delivery was taken on, or cannot be now; not when it is over, and without waiting for what else
   * is due.
   */
  wake(deliveryId: string): Promise<void> {
    const claimed = new Promise<void>((resolve) => {
      this.woken.set(deliveryId, [...(this.woken.get(deliveryId) ?? []), resolve]);
    });
    void this.turn();
    return claimed;
  }

  /** Has whatever is due taken on, as far as there are places; waits for none of it. */
  sweep(): void {
    this.mustLook = true;
    void this.turn();
  }

  /** Takes nothing new and finishes what is under way; what cannot be finished in time is due again by its lease. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    await this.turning;
    await Promise.all(this.underWay);
  }

  /** One claim at a time: what is woken meanwhile shares the next one, and places are counted right. */
  private turn(): Promise<void> {
    this.turning ??= this.claimUntilIdle();
    return this.turning;
  }

  private async claimUntilIdle(): Promise<void> {
    await setImmediate(); // what is woken together is claimed together
    while (!this.stopping && (this.woken.size > 0 || this.mustLook)) {
      try {
        await this.claimOnce();
      } catch (error) {
        // The rows are due all the same: the next sweep finds them.
        this.mustLook = false;
        this.takeWoken(this.woken.size).forEach(({ done }) => done());
        this.logger.warn({ err: error }, 'Webhooks could not be taken on; the sweep will');
      }
    }
    this.takeWoken(this.woken.size).forEach(({ done }) => done());
    this.turning = undefined;
  }

  /** Of what was woken and everything that is due, neither waits for more than one claim of the other. */
  private async claimOnce(): Promise<void> {
    this.lookedLast = this.mustLook && (this.woken.size === 0 || !this.lookedLast);
    await (this.lookedLast ? this.claimDue() : this.claimWoken());
  }

  private async claimDue(): Promise<void> {
    this.mustLook = false;
    const free = this.places.free;
    const claimed = await this.due.claimDue(free);
    this.mayHaveMore = filled(free, claimed);
    for (const delivery of claimed) this.begin(delivery);
  }

  private async claimWoken(): Promise<void> {
    const woken = this.takeWoken(MOST_WOKEN);
    try {
      const free = this.places.free;
      const ids = woken.map(({ id }) => id);
      const claimed = await this.due.claimWoken(ids, free);
      if (filled(free, claimed)) this.mayHaveMore = true;
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
    const place = this.places.take(delivery);
    const attempt = this.attempt(delivery, place).finally(() => this.underWay.delete(attempt));
    this.underWay.add(attempt);
  }

  private async attempt(delivery: ClaimedWebhookDelivery, place: Place): Promise<void> {
    const begun = performance.now();
    const slow = setTimeout(() => {
      this.places.turnSlow(place);
      if (this.mayHaveMore) void this.lookSoon();
    }, SLOW_MS);
    const wentWell = await this.delivery.attempt(delivery).catch((error: unknown) => {
      this.logger.error({ deliveryId: delivery.id, err: error }, 'A webhook attempt broke off; it is due again later');
      return false;
    });
    clearTimeout(slow);
    this.places.giveBack(place, performance.now() - begun);
    const isWellAgain = delivery.troubled && wentWell;
    if (this.mayHaveMore || isWellAgain) void this.lookSoon();
  }

  private async lookSoon(): Promise<void> {
    if (this.lookPlanned || this.stopping) return;
    this.lookPlanned = true;
    await pause(LOOK_PAUSE_MS);
    this.lookPlanned = false;
    this.sweep();
  }
}
