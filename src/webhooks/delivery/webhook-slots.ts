import { KeyCounts } from '../../platform/memory/key-counts.js';
import type { ClaimedWebhookDelivery, FreeSlots } from './claim-deliveries.js';

/** A request that takes longer marks its endpoint as slow until the next fast response. */
export const SLOW_MS = 3_000;
/** Maximum number of slow endpoints kept. The least recently marked are evicted, because they may be deleted by now. */
export const MAX_SLOW = 1_000;

/** The slot that an attempt occupies. */
export interface WebhookSlot {
  readonly endpointId: string;
  /** True when it counts toward the slots for failing or slow endpoints. */
  unhealthy: boolean;
}

/**
 * Limits the concurrent webhook requests of this process. One endpoint uses at most a tenth of the slots. All failing
 * and slow endpoints together use at most a quarter, so three quarters remain for healthy endpoints. A request that
 * becomes slow moves from a healthy slot to an unhealthy one. Endpoints that fail at the same moment therefore delay
 * healthy ones for a few seconds at most. In exchange, up to twice as many requests may be in flight.
 */
export class WebhookSlots {
  private readonly running = new KeyCounts();
  private readonly slow = new Set<string>();
  private readonly used = { healthy: 0, unhealthy: 0 };
  private readonly max: { readonly healthy: number; readonly unhealthy: number };
  private readonly perEndpoint: number;

  constructor(private readonly total: number) {
    const unhealthy = Math.max(1, Math.floor(total / 4));
    this.max = { healthy: total - unhealthy, unhealthy };
    this.perEndpoint = Math.max(1, Math.floor(total / 10));
  }

  get free(): FreeSlots {
    return {
      healthy: this.max.healthy - this.used.healthy,
      unhealthy: this.max.unhealthy - this.used.unhealthy,
      perEndpoint: this.perEndpoint,
      running: new Map(this.running),
      slow: [...this.slow],
    };
  }

  take({ endpointId, unhealthy }: ClaimedWebhookDelivery): WebhookSlot {
    this.used[unhealthy ? 'unhealthy' : 'healthy'] += 1;
    this.running.add(endpointId, 1);
    return { endpointId, unhealthy };
  }

  /** Call this when a request has lasted for SLOW_MS. */
  markSlow(slot: WebhookSlot): void {
    this.addSlow(slot.endpointId);
    if (slot.unhealthy || this.used.unhealthy >= this.total) return;
    this.used.healthy -= 1;
    this.used.unhealthy += 1;
    slot.unhealthy = true;
  }

  private addSlow(endpointId: string): void {
    this.slow.delete(endpointId); // re-adding moves it to the end of the insertion order
    this.slow.add(endpointId);
    const [oldest] = this.slow;
    if (this.slow.size > MAX_SLOW) this.slow.delete(oldest!);
  }

  release({ endpointId, unhealthy }: WebhookSlot, tookMs: number): void {
    this.used[unhealthy ? 'unhealthy' : 'healthy'] -= 1;
    this.running.add(endpointId, -1);
    if (tookMs < SLOW_MS) this.slow.delete(endpointId);
  }
}

/** Returns true when the slots limited the claim, so more deliveries may be due. */
export function isSaturated(slots: FreeSlots, claimed: readonly ClaimedWebhookDelivery[]): boolean {
  const unhealthy = claimed.filter((delivery) => delivery.unhealthy).length;
  if (claimed.length - unhealthy >= slots.healthy || unhealthy >= slots.unhealthy) return true;
  const running = new KeyCounts(slots.running);
  for (const { endpointId } of claimed) running.add(endpointId, 1);
  return [...running.values()].some((count) => count >= slots.perEndpoint);
}
