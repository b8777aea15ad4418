import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { PROVIDER, type DeliveryProvider } from '../../providers/provider.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { PAUSE_CAUSES, providerPauseKey, type PauseCause } from './provider-pause-key.js';

/** How stale our view of another worker's pause may be. */
const CHECK_EVERY_MS = 1_000;

/**
 * While the provider throttles or refuses our credential, no worker calls it. The pause is shared through Redis and
 * also kept in memory, so that an outage of Redis cannot flood the provider.
 */
@Injectable()
export class ProviderPause {
  private readonly key: string;
  private pausedUntil = 0;
  private cause: PauseCause = 'throttled';
  /** Causes logged since the provider last accepted an email: a lasting problem is one log line, not one per email. */
  private readonly logged = new Set<PauseCause>();
  private checkedAt = 0;
  private checking: Promise<void> | undefined;

  constructor(
    @Inject(PROVIDER) private readonly provider: DeliveryProvider,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.key = providerPauseKey(provider.name);
  }

  async begin(milliseconds: number, cause: PauseCause): Promise<void> {
    this.extend(this.clock.now() + milliseconds, cause);
    this.logOnce(cause, milliseconds);
    try {
      const known = await this.redis.pttl(this.key);
      // A short pause must not end a longer one that another worker began.
      if (known < milliseconds) await this.redis.set(this.key, cause, 'PX', Math.max(1, Math.round(milliseconds)));
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not share the pause with other workers');
    }
  }

  /** The provider accepted an email. Calls that were in flight when a pause began do not end it. */
  accepted(): void {
    if (this.logged.size === 0 || this.clock.now() < this.pausedUntil) return;
    this.logged.clear();
    this.logger.info({ provider: this.provider.name }, 'The provider accepts mail again');
  }

  /** Milliseconds until the provider may be called again; 0 when it may be called now. */
  async remainingMs(): Promise<number> {
    const now = this.clock.now();
    if (now - this.checkedAt >= CHECK_EVERY_MS) {
      this.checkedAt = now;
      this.checking = this.check(now).finally(() => (this.checking = undefined));
    }
    // Concurrent callers wait for the running check, because the previous value is too old for them as well.
    await this.checking;
    return Math.max(0, this.pausedUntil - now);
  }

  /** The remaining milliseconds per cause, every cause included. */
  async remainingByCause(): Promise<Readonly<Record<PauseCause, number>>> {
    const remainingMs = await this.remainingMs();
    return { throttled: 0, 'credential-refused': 0, [this.cause]: remainingMs };
  }

  private async check(now: number): Promise<void> {
    try {
      const [[, remaining], [, cause]] = (await this.redis.pipeline().pttl(this.key).get(this.key).exec()) as [
        [unknown, number | undefined],
        [unknown, string | null | undefined],
      ];
      if (remaining && remaining > 0) {
        this.extend(now + remaining, PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled');
      }
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not check for a pause');
    }
  }

  private extend(until: number, cause: PauseCause): void {
    if (until <= this.pausedUntil) return;
    this.pausedUntil = until;
    this.cause = cause;
  }

  /** Omits the provider's response, which may contain an address; it is stored with the email. */
  private logOnce(cause: PauseCause, pauseMs: number): void {
    if (this.logged.has(cause)) return;
    this.logged.add(cause);
    const fields = { provider: this.provider.name, cause, pauseMs };
    if (cause === 'throttled') this.logger.warn(fields, 'Deliveries paused');
    else this.logger.error(fields, 'Deliveries paused: the provider refuses our credential');
  }
}
