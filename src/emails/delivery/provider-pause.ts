import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { PROVIDER, type DeliveryProvider } from '../../providers/provider.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';

/** How stale the knowledge of another worker's pause may be. */
const LOOK_EVERY_MS = 1_000;

/** Why deliveries pause. */
export const PAUSE_CAUSES = ['throttled', 'credential-refused'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/**
 * While the provider throttles or refuses our credential, no worker calls it: a pause is shared through Redis
 * and kept in this process too, so that losing Redis cannot turn into hammering the provider.
 */
@Injectable()
export class ProviderPause {
  private readonly key: string;
  private pausedUntil = 0;
  private cause: PauseCause = 'throttled';
  /** Logged since the provider last accepted an email: a trouble that lasts is one line, not one per email. */
  private readonly logged = new Set<PauseCause>();
  private lookedAt = 0;
  private looking: Promise<void> | undefined;

  constructor(
    @Inject(PROVIDER) private readonly provider: DeliveryProvider,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.key = `{mailbeacon}:provider-pause:${provider.name}`;
  }

  async begin(milliseconds: number, cause: PauseCause): Promise<void> {
    this.extend(this.clock.now() + milliseconds, cause);
    this.logOnce(cause, milliseconds);
    try {
      const known = await this.redis.pttl(this.key);
      // A short pause must not end a longer one that another worker began.
      if (known < milliseconds) await this.redis.set(this.key, cause, 'PX', Math.max(1, Math.round(milliseconds)));
    } catch (error) {
      this.logger.warn({ err: error }, 'Other workers could not be told about the pause');
    }
  }

  /** The provider took an email: whatever paused it is over. */
  accepted(): void {
    if (this.logged.size === 0) return;
    this.logged.clear();
    this.logger.info({ provider: this.provider.name }, 'The provider accepts mail again');
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

  /** The same by cause, every cause named. */
  async remainingByCause(): Promise<Readonly<Record<PauseCause, number>>> {
    const remainingMs = await this.remainingMs();
    return { throttled: 0, 'credential-refused': 0, [this.cause]: remainingMs };
  }

  private async look(now: number): Promise<void> {
    try {
      const [[, remaining], [, cause]] = (await this.redis.pipeline().pttl(this.key).get(this.key).exec()) as [
        [unknown, number | undefined],
        [unknown, string | null | undefined],
      ];
      if (remaining && remaining > 0) {
        this.extend(now + remaining, PAUSE_CAUSES.find((one) => one === cause) ?? 'throttled');
      }
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not look for a pause');
    }
  }

  private extend(until: number, cause: PauseCause): void {
    if (until <= this.pausedUntil) return;
    this.pausedUntil = until;
    this.cause = cause;
  }

  /** Without the provider's words: a server may repeat an address in them. They stand with the email. */
  private logOnce(cause: PauseCause, pauseMs: number): void {
    if (this.logged.has(cause)) return;
    this.logged.add(cause);
    const fields = { provider: this.provider.name, cause, pauseMs };
    if (cause === 'throttled') this.logger.warn(fields, 'Deliveries pause');
    else this.logger.error(fields, 'Deliveries pause: the provider refuses our credential');
  }
}
