import type { ClaimedDelivery, FreePlaces } from '../webhooks/due-deliveries.js';

/** An answer that takes longer makes its endpoint a slow one, until it is quick again. */
const SLOW_MS = 3_000;
const MAX_SLOW = 10_000;

/**
 * How many webhook requests this process makes at once. One endpoint has at most a tenth of the places, and all
 * that fail or are slow together a quarter: whatever they do, three quarters are there for the others.
 */
export class DeliveryPlaces {
  private readonly running = new Map<string, number>();
  private readonly slow = new Set<string>();
  private readonly used = { healthy: 0, troubled: 0 };
  private readonly most: { readonly healthy: number; readonly troubled: number };
  private readonly perEndpoint: number;

  constructor(total: number) {
    const troubled = Math.floor(total / 4);
    this.most = { healthy: total - troubled, troubled };
    this.perEndpoint = Math.floor(total / 10);
  }

  get free(): FreePlaces {
    return {
      healthy: this.most.healthy - this.used.healthy,
      troubled: this.most.troubled - this.used.troubled,
      perEndpoint: this.perEndpoint,
      running: this.running,
      slow: [...this.slow],
    };
  }

  /** True when something that is due may have found no place. */
  get isCrowded(): boolean {
    const isFull = this.used.healthy >= this.most.healthy || this.used.troubled >= this.most.troubled;
    return isFull || [...this.running.values()].some((count) => count >= this.perEndpoint);
  }

  take({ endpointId, troubled }: ClaimedDelivery): void {
    this.used[troubled ? 'troubled' : 'healthy'] += 1;
    this.running.set(endpointId, (this.running.get(endpointId) ?? 0) + 1);
  }

  giveBack({ endpointId, troubled }: ClaimedDelivery, tookMs: number): void {
    this.used[troubled ? 'troubled' : 'healthy'] -= 1;
    const left = (this.running.get(endpointId) ?? 1) - 1;
    if (left > 0) this.running.set(endpointId, left);
    else this.running.delete(endpointId);
    this.noteSpeed(endpointId, tookMs);
  }

  private noteSpeed(endpointId: string, tookMs: number): void {
    if (tookMs < SLOW_MS) this.slow.delete(endpointId);
    else if (this.slow.size < MAX_SLOW) this.slow.add(endpointId);
  }
}
