import { changedNothing } from '../../platform/database/transient-error.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import type { Audience } from './claims.js';
import type { DeliveryState } from './delivery-state.js';
import { EMAIL_LEASE_MS, type Lease } from './lease.js';
import { untilRecorded } from './record-outcome.js';

/** Longest time from requesting the claim to the hand-over: a process that stalls longer may have lost the lease. */
const STALE_MS = EMAIL_LEASE_MS / 2;

/** The claim of one delivery: made when the provider requests it, or else when the outcome is recorded. */
export class EmailClaim {
  readonly since = performance.now();
  private claiming: Promise<number | undefined> | undefined;
  /** The provider that the claim names; null if none was called. */
  private provider: string | null = null;
  private tooLate = false;
  private leftOut: readonly SuppressedRecipient[] = [];

  constructor(
    private readonly state: Pick<DeliveryState, 'claim' | 'giveBack' | 'moveToProvider'>,
    readonly lease: Lease,
    private readonly generation: number,
    private readonly audience?: Audience,
  ) {}

  /** True when the hand-over was denied although we hold the claim, because the process stalled. */
  get isStale(): boolean {
    return this.tooLate;
  }

  /** The recipients that prevented the claim, because they are suppressed. */
  get suppressed(): readonly SuppressedRecipient[] {
    return this.leftOut;
  }

  /** The attempt number, or undefined when this worker may not send the email. Rejects when Postgres is unavailable. */
  attempt(): Promise<number | undefined> {
    this.claiming ??= this.claim();
    return this.claiming;
  }

  /** Names the provider that is called, if the claim is not made yet. */
  name(providerId: string): void {
    if (!this.claiming) this.provider = providerId;
  }

  /**
   * True when the end of the message may be sent to this provider now. An earlier one has certainly not accepted it.
   */
  async allowsHandOver(providerId: string): Promise<boolean> {
    const requestedAt = performance.now();
    const attempt = await this.attemptWith(providerId).catch(() => undefined);
    if (attempt === undefined || this.tooLate) return false;
    this.tooLate = performance.now() - requestedAt > STALE_MS;
    return !this.tooLate;
  }

  private async attemptWith(providerId: string): Promise<number | undefined> {
    this.name(providerId);
    const attempt = await this.attempt();
    if (attempt === undefined || this.provider === providerId) return attempt;
    this.provider = providerId;
    return (await this.state.moveToProvider(this.lease, providerId)) ? attempt : undefined;
  }

  /**
   * A claim whose response was lost may be ours. The provider has no complete message, so the outcome is certain, but
   * only this process knows that.
   */
  private async claim(): Promise<number | undefined> {
    try {
      const claimed = await this.state.claim(this.lease, this.generation, this.audience, this.provider);
      if (typeof claimed !== 'object') return claimed;
      this.leftOut = claimed;
      return undefined;
    } catch (error) {
      if (!changedNothing(error)) await untilRecorded(() => this.state.giveBack(this.lease, this.generation));
      throw error;
    }
  }
}
