import type { Clock } from '../../platform/clock/clock.js';
import type { RedisConnection } from '../../platform/redis/connect.js';
import { CallsInTurn } from './calls-in-turn.js';
import type { PauseEnds } from './pause-ends.js';
import type { PauseLog } from './pause-log.js';
import { beginProbe, beginProbes, endProbes, type Probe, type ProbingEmail } from './provider-pause-scripts.js';

/** After so many calls with an unknown outcome, and no accepted email between them, a provider is failing. */
const FAILING_CALLS = 5;
/** The pause of a failing provider while Redis cannot be asked. */
const ALONE_MS = 10_000;

/** When an email may find out whether a failing provider works again. */
interface Turn {
  /** 0 for now. */
  readonly waitMs: number;
  /** True if the email is passed whatever the provider responds without an email. */
  readonly isForEmail: boolean;
}

/**
 * The circuit breaker of a provider, over calls with an unknown outcome. From the first one on, the provider is
 * suspect; after several without an accepted email between them, it fails, and is paused. Then single emails of all
 * workers find out whether it works again.
 */
export class ProviderFailure {
  private unknownSinceAccepted = 0;
  private failing = false;
  private readonly calls = new CallsInTurn(() => this.isSuspect);

  /**
   * @param id of the provider
   * @param clock monotonic
   * @param ends of its pauses in this worker
   */
  constructor(
    private readonly id: string,
    private readonly redis: RedisConnection,
    private readonly clock: Clock,
    private readonly ends: PauseEnds,
    private readonly log: PauseLog,
  ) {}

  /** The provider accepted an email. */
  accepted(): void {
    this.unknownSinceAccepted = 0;
    this.calls.wake();
    if (!this.failing) return;
    this.endFailing();
    void endProbes(this.redis, this.id).catch(() => undefined);
  }

  /**
   * The outcome of a call is unknown. Several without an accepted email between them mean that the provider fails, and
   * that most emails passed to it would be in doubt. Refusals show nothing: they may come before the part that fails.
   * The provider is suspect from the first one on.
   */
  async outcomeUnknown(organizationId: string): Promise<void> {
    this.unknownSinceAccepted += 1;
    if (this.unknownSinceAccepted < FAILING_CALLS || this.failing) return;
    this.failing = true;
    this.calls.wake();
    await this.turnOf(() => beginProbes(this.redis, this.id, organizationId));
  }

  /**
   * True from an unknown outcome to the next accepted email or the beginning of a failure. Meanwhile this worker makes
   * one call at a time, so that few emails come into doubt if the provider has begun to fail.
   */
  get isSuspect(): boolean {
    return this.unknownSinceAccepted > 0 && !this.failing;
  }

  /** True if one more unknown outcome shows that the provider fails. */
  get isNearlyFailing(): boolean {
    return this.unknownSinceAccepted === FAILING_CALLS - 1;
  }

  /**
   * Makes a call of the provider, while it is suspect after those of others.
   * @returns undefined, without the call, if others take longer than this
   */
  inTurn<Result>(call: () => Promise<Result>, maxWaitMs: number): Promise<Result | undefined> {
    return this.calls.run(call, maxWaitMs);
  }

  /** True if a call with several emails would risk them all. */
  get needsSingleEmails(): boolean {
    return this.isSuspect || this.failing;
  }

  /** True while single emails find out whether the provider works again. */
  get isFailing(): boolean {
    return this.failing;
  }

  /**
   * Chooses the email that finds out whether a failing provider works again. The next pause begins before its call.
   */
  probe(email: ProbingEmail): Promise<Turn> {
    return this.turnOf(() => beginProbe(this.redis, this.id, email));
  }

  /** Takes over whether the provider fails for other workers. */
  follow(isFailing: boolean): void {
    // Another worker found out that the provider works again.
    if (!isFailing && this.failing) this.endFailing();
    this.failing = isFailing;
    this.calls.wake();
  }

  /** @param begin asks Redis for the turn of an email */
  private async turnOf(begin: () => Promise<Probe>): Promise<Turn> {
    try {
      return this.noteTurn(await begin());
    } catch (error) {
      this.log.notShared(error);
      const remainingMs = this.ends.latest - this.clock.now();
      if (remainingMs > 0) return { waitMs: remainingMs, isForEmail: false };
      this.ends.extend(this.clock.now() + ALONE_MS, 'failing');
      this.log.paused('failing', ALONE_MS);
      return { waitMs: 0, isForEmail: false };
    }
  }

  private noteTurn([milliseconds, kind]: Probe): Turn {
    if (kind === 'over') {
      this.endFailing();
      return { waitMs: 0, isForEmail: false };
    }
    this.log.paused('failing', milliseconds);
    if (kind === 'turn') return { waitMs: milliseconds, isForEmail: false };
    this.ends.extend(this.clock.now() + milliseconds, 'failing');
    return { waitMs: kind === 'paused' ? milliseconds : 0, isForEmail: kind === 'email' };
  }

  private endFailing(): void {
    this.unknownSinceAccepted = 0;
    this.failing = false;
    this.ends.end('failing');
  }
}
