import type { ClaimedWebhookDelivery, FreePlaces } from './claim-deliveries.js';

/** An answer that takes longer makes its endpoint a slow one, until it is quick again. */
export const SLOW_MS = 3_000;
/** More are not cached: those longest unheard of are forgotten first, which may long be deleted. */
export const MAX_SLOW = 1_000;

/** What an attempt occupies. */
export interface Place {
  readonly endpointId: string;
  /** Among those of endpoints that fail or are slow. */
  troubled: boolean;
}

/**
 * How many webhook requests this process makes at once. One endpoint has at most a tenth of the places, and all
 * that fail or are slow together a quarter: whatever they do, three quarters are there for the others. A request
 * that turns out to be slow gives its place among the quick ones back, so that endpoints which die all at the same
 * moment hold up others for seconds at most; for that, up to twice as many may be under way.
 */
export class WebhookSlots {
  private readonly running = new Map<string, number>();
  private readonly slow = new Set<string>();
  private readonly used = { healthy: 0, troubled: 0 };
  private readonly most: { readonly healthy: number; readonly troubled: number };
  private readonly perEndpoint: number;

  constructor(private readonly total: number) {
    const troubled = Math.max(1, Math.floor(total / 4));
    this.most = { healthy: total - troubled, troubled };
    this.perEndpoint = Math.max(1, Math.floor(total / 10));
  }

  get free(): FreePlaces {
    return {
      healthy: this.most.healthy - this.used.healthy,
      troubled: this.most.troubled - this.used.troubled,
      perEndpoint: this.perEndpoint,
      running: new Map(this.running),
      slow: [...this.slow],
    };
  }

  take({ endpointId, troubled }: ClaimedWebhookDelivery): Place {
    this.used[troubled ? 'troubled' : 'healthy'] += 1;
    this.running.set(endpointId, (this.running.get(endpointId) ?? 0) + 1);
    return { endpointId, troubled };
  }

  /** The request has lasted for SLOW_MS. */
  turnSlow(place: Place): void {
    this.remember(place.endpointId);
    if (place.troubled || this.used.troubled >= this.total) return;
    this.used.healthy -= 1;
    this.used.troubled += 1;
    place.troubled = true;
  }

  private remember(endpointId: string): void {
    this.slow.delete(endpointId); // a set keeps the order in which things were added
    this.slow.add(endpointId);
    const [oldest] = this.slow;
    if (this.slow.size > MAX_SLOW) this.slow.delete(oldest!);
  }

  giveBack({ endpointId, troubled }: Place, tookMs: number): void {
    this.used[troubled ? 'troubled' : 'healthy'] -= 1;
    const left = (this.running.get(endpointId) ?? 1) - 1;
    if (left > 0) this.running.set(endpointId, left);
    else this.running.delete(endpointId);
    if (tookMs < SLOW_MS) this.slow.delete(endpointId);
  }
}

/** True when one more might have been claimed, had there been more places: something may be due that found none. */
export function filled(places: FreePlaces, claimed: readonly ClaimedWebhookDelivery[]): boolean {
  const troubled = claimed.filter((delivery) => delivery.troubled).length;
  if (claimed.length - troubled >= places.healthy || troubled >= places.troubled) return true;
  const running = new Map(places.running);
  for (const { endpointId } of claimed) running.set(endpointId, (running.get(endpointId) ?? 0) + 1);
  return [...running.values()].some((count) => count >= places.perEndpoint);
}
