import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { DELIVERY_PROVIDER, type DeliveryProvider } from '../providers/provider.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';

/** How stale the knowledge of another worker's pause may be. */
const LOOK_EVERY_MS = 1_000;

/**
 * While the provider throttles or refuses our credential, no worker calls it: a pause is shared through Redis
 * and kept in this process too, so that losing Redis cannot turn into hammering the provider.
 */
@Injectable()
export class ProviderPause {
  private readonly key: string;
  private pausedUntil = 0;
  private lookedAt = 0;
  private looking: Promise<void> | undefined;

  constructor(
    @Inject(DELIVERY_PROVIDER) provider: DeliveryProvider,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.key = `{mailbeacon}:provider-pause:${provider.name}`;
  }

  async begin(milliseconds: number, reason: string): Promise<void> {
    this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + milliseconds);
    this.logger.warn({ pauseMs: milliseconds, reason }, 'Deliveries pause');
    try {
      const known = await this.redis.pttl(this.key);
      // A short pause must not end a longer one that another worker began.
      if (known < milliseconds) await this.redis.set(this.key, '1', 'PX', Math.max(1, Math.round(milliseconds)));
    } catch (error) {
      this.logger.warn({ err: error }, 'Other workers could not be told about the pause');
    }
  }

  /** Milliseconds until the provider may be called again; 0 when it may be called now. */
  async remainingMs(): Promise<number> {
    const now = this.clock.now();
    if (now - this.lookedAt >= LOOK_EVERY_MS) {
      this.lookedAt = now;
      this.looking = this.look(now).finally(() => (this.looking = undefined));
    }
    // Whoever comes during a look waits for it, too: what was known before it is too old for all of them.
    await this.looking;
    return Math.max(0, this.pausedUntil - now);
  }

  private async look(now: number): Promise<void> {
    try {
      const remaining = await this.redis.pttl(this.key);
      if (remaining > 0) this.pausedUntil = Math.max(this.pausedUntil, now + remaining);
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not look for a pause');
    }
  }
}
