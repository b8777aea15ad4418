import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { DueDeliveries, type ClaimedDelivery } from '../webhooks/due-deliveries.js';
import { DeliveryPlaces, filled, SLOW_MS, type Place } from './delivery-places.js';
import { WebhookDelivery } from './webhook-delivery.js';

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
  private readonly places: DeliveryPlaces;
  private readonly underWay = new Set<Promise<void>>();
  private woken = new Set<string>();
  /** True when the next claim must look at everything that is due. */
  private mustLook = false;
  /** True while a look waits for its time, so that a backlog is looked at now and then, not all the time. */
  private lookPlanned = false;
  /** True while something may be due that found no place: then whoever gives one back has to look. */
  private mayHaveMore = false;
  private turning: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly due: DueDeliveries,
    private readonly delivery: WebhookDelivery,
    @Inject(SETTINGS) settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.places = new DeliveryPlaces(settings.WEBHOOK_CONCURRENCY);
  }

  /** Resolves when the delivery was taken on, or cannot be now; not when it is over. */
  async wake(deliveryId: string): Promise<void> {
    this.woken.add(deliveryId);
    await this.turn();
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
        this.woken.clear();
        this.logger.warn({ err: error }, 'Webhooks could not be taken on; the sweep will');
      }
    }
    this.turning = undefined;
  }

  private async claimOnce(): Promise<void> {
    const free = this.places.free;
    const lookAtAll = this.woken.size === 0;
    if (lookAtAll) this.mustLook = false;
    const ids = [...this.woken].slice(0, MOST_WOKEN);
    for (const id of ids) this.woken.delete(id);
    const claimed = await (lookAtAll ? this.due.claimDue(free) : this.due.claimWoken(ids, free));
    if (filled(free, claimed)) this.mayHaveMore = true;
    else if (lookAtAll) this.mayHaveMore = false;
    for (const delivery of claimed) this.begin(delivery);
  }

  private begin(delivery: ClaimedDelivery): void {
    const place = this.places.take(delivery);
    const attempt = this.attempt(delivery, place).finally(() => this.underWay.delete(attempt));
    this.underWay.add(attempt);
  }

  private async attempt(delivery: ClaimedDelivery, place: Place): Promise<void> {
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
