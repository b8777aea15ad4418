import { EMAIL_LEASE_MS, type DeliveryState } from './delivery-state.js';
import type { Lease } from './lease.js';

/** Longest time from asking for the claim to the hand-over: whoever stood still for longer may have lost it. */
const STALE_MS = EMAIL_LEASE_MS / 2;

/** The one claim of a delivery: made when the provider asks for it, or else when the outcome is recorded. */
export class EmailClaim {
  private claiming: Promise<number | undefined> | undefined;
  private cameTooLate = false;

  constructor(
    private readonly state: Pick<DeliveryState, 'claim' | 'giveBack'>,
    private readonly lease: Lease,
  ) {}

  /** True when the provider was refused a claim that is ours: the process stood still on the way. */
  get isStale(): boolean {
    return this.cameTooLate;
  }

  /** The number of this attempt, or undefined when the email is not ours to send. Rejects when Postgres cannot say. */
  attempt(): Promise<number | undefined> {
    this.claiming ??= this.claim();
    return this.claiming;
  }

  /** True when the last bytes may leave now. */
  async allowsHandOver(): Promise<boolean> {
    const askedAt = performance.now();
    const attempt = await this.attempt().catch(() => undefined);
    if (attempt === undefined || this.cameTooLate) return false;
    this.cameTooLate = performance.now() - askedAt > STALE_MS;
    return !this.cameTooLate;
  }

  /** A claim whose answer was lost may be ours all the same. The provider has no complete message: no doubt is due. */
  private async claim(): Promise<number | undefined> {
    try {
      return await this.state.claim(this.lease);
    } catch (error) {
      await this.state.giveBack(this.lease).catch(() => undefined);
      throw error;
    }
  }
}
