import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { RedisConnection } from '../../platform/redis/connect.js';
import { PauseEnds } from './pause-ends.js';
import { PauseLog } from './pause-log.js';
import { ProviderFailure } from './provider-failure.js';
import { PAUSE_CAUSES, type PauseCause } from './provider-pause-key.js';
import { beginPause, forgetRefusals, noteAcceptance, readPauses } from './provider-pause-scripts.js';

/** How stale our view of another worker's pause may be. */
const CHECK_EVERY_MS = 1_000;

/**
 * While a provider throttles, refuses our credential or fails, no worker calls it. The pause is shared through Redis
 * and also kept in memory, so that an outage of Redis cannot flood the provider.
 */
export class ProviderPause {
  /** What unknown outcomes have shown. */
  readonly failure: ProviderFailure;
  private readonly ends = new PauseEnds();
  private readonly log: PauseLog;
  private refusedForMs = 0;
  private isKnownToAccept = false;
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;

  /**
   * @param id of the provider
   * @param clock monotonic
   * @param isOfOrganization true if an organization must repair it, not the operator
   */
  constructor(
    private readonly id: string,
    private readonly redis: RedisConnection,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly isOfOrganization = false,
  ) {
    this.log = new PauseLog(id, logger, isOfOrganization);
    this.failure = new ProviderFailure(id, redis, clock, this.ends, this.log);
  }

  async begin(milliseconds: number, cause: PauseCause): Promise<void> {
    this.ends.extend(this.clock.now() + milliseconds, cause);
    this.log.paused(cause, milliseconds);
    try {
      await beginPause(this.redis, this.id, cause, milliseconds);
    } catch (error) {
      this.log.notShared(error);
    }
  }

  /**
   * The provider accepted an email. Calls that were in flight when a pause began do not end it, unless it was failing.
   */
  accepted(): void {
    if (this.isOfOrganization && !this.isKnownToAccept) {
      this.isKnownToAccept = true;
      void noteAcceptance(this.redis, this.id).catch(() => undefined);
    }
    this.failure.accepted();
    if ((!this.log.isOpen && this.refusedForMs === 0) || this.clock.now() < this.ends.latest) return;
    this.refusedForMs = 0;
    void forgetRefusals(this.redis, this.id).catch(() => undefined);
    this.log.accepted();
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
    return Math.max(0, this.ends.latest - now);
  }

  /** True once all pauses together, without an accepted email between them, have lasted this long. */
  hasLasted(milliseconds: number): boolean {
    return this.refusedForMs > milliseconds;
  }

  /** Why the provider is paused; undefined if it is not. */
  get currentCause(): PauseCause | undefined {
    return this.ends.causeAt(this.clock.now());
  }

  /** The remaining milliseconds per cause, every cause included. */
  async remainingByCause(): Promise<Readonly<Record<PauseCause, number>>> {
    const remainingMs = await this.remainingMs();
    const cause = this.currentCause;
    return { throttled: 0, 'credential-refused': 0, failing: 0, ...(cause && { [cause]: remainingMs }) };
  }

  private async check(now: number): Promise<void> {
    const wasFailing = this.failure.isFailing;
    try {
      const [shared] = await readPauses(this.redis, [this.id]);
      const { remainingMs, cause, refusedForMs, isFailing, isKnownToAccept } = shared!;
      this.refusedForMs = refusedForMs;
      this.isKnownToAccept = isKnownToAccept;
      // What a call has shown meanwhile is newer.
      if (this.failure.isFailing !== wasFailing) return;
      this.failure.follow(isFailing);
      if (remainingMs > 0) {
        this.ends.extend(now + remainingMs, PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled');
      }
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not check for a pause');
    }
  }
}
