import type { TokenBuckets } from '../../platform/redis/token-buckets.js';

/** Limits the emails per second that all workers together pass to one provider. */
export class ProviderRate {
  private readonly capacity: number;
  private readonly windowMs: number;

  /** @param perSecond may be a fraction: 0.5 allows an email every two seconds */
  constructor(
    private readonly buckets: TokenBuckets,
    private readonly id: string,
    perSecond: number,
  ) {
    this.capacity = Math.max(1, Math.floor(perSecond));
    this.windowMs = (this.capacity / perSecond) * 1_000;
  }

  /** @returns 0 when an email may be passed now, otherwise milliseconds to wait. Never rejects */
  async take(): Promise<number> {
    const { taken, nextTokenInMs } = await this.buckets.take(`provider:${this.id}`, this.capacity, this.windowMs);
    return taken ? 0 : Math.max(1, nextTokenInMs);
  }
}
