import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { RedisConnection } from '../../platform/redis/connect.js';
import { CallsInTurn } from './calls-in-turn.js';
import { PauseEnds } from './pause-ends.js';
import { PauseLog } from './pause-log.js';
import { PAUSE_CAUSES, type PauseCause } from './provider-pause-key.js';
import {
  beginPause,
  beginProbe,
  beginProbes,
  endProbes,
  forgetRefusals,
  noteAcceptance,
  readPauses,
  type Probe,
  type ProbingEmail,
} from './provider-pause-scripts.js';

/** How stale our view of another worker's pause may be. */
const CHECK_EVERY_MS = 1_000;
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
 * While a provider throttles, refuses our credential or fails, no worker calls it. The pause is shared through Redis
 * and also kept in memory, so that an outage of Redis cannot flood the provider.
 */
export class ProviderPause {
  private readonly log: PauseLog;
  private refusedForMs = 0;
  private readonly ends = new PauseEnds();
  private unknownSinceAccepted = 0;
  private failing = false;
  private isKnownToAccept = false;
  private readonly calls = new CallsInTurn(() => this.isSuspect);
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
  }

  async begin(milliseconds: number, cause: PauseCause): Promise<void> {
    this.ends.extend(this.clock.now() + milliseconds, cause);
    this.log.begun(cause, milliseconds);
    try {
      await beginPause(this.redis, this.id, cause, milliseconds);
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not share the pause with other workers');
    }
  }

  /**
   * The provider accepted an email. Calls that were in flight when a pause began do not end it, unless it was failing.
   */
  accepted(): void {
    this.unknownSinceAccepted = 0;
    this.calls.wake();
    if (this.isOfOrganization && !this.isKnownToAccept) {
      this.isKnownToAccept = true;
      void noteAcceptance(this.redis, this.id).catch(() => undefined);
    }
    if (this.failing) {
      this.endFailing();
      void endProbes(this.redis, this.id).catch(() => undefined);
    }
    if ((!this.log.hasBegun && this.refusedForMs === 0) || this.clock.now() < this.ends.last) return;
    this.refusedForMs = 0;
    void forgetRefusals(this.redis, this.id).catch(() => undefined);
    this.log.ended();
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

  /** Milliseconds until the provider may be called again; 0 when it may be called now. */
  async remainingMs(): Promise<number> {
    const now = this.clock.now();
    if (now - this.checkedAt >= CHECK_EVERY_MS) {
      this.checkedAt = now;
      this.checking = this.check(now).finally(() => (this.checking = undefined));
    }
    // Concurrent callers wait for the running check, because the previous value is too old for them as well.
    await this.checking;
    return Math.max(0, this.ends.last - now);
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

  /** @param begin asks Redis for the turn of an email */
  private async turnOf(begin: () => Promise<Probe>): Promise<Turn> {
    try {
      return this.noteTurn(await begin());
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not share the pause with other workers');
      const remainingMs = this.ends.last - this.clock.now();
      if (remainingMs > 0) return { waitMs: remainingMs, isForEmail: false };
      this.ends.extend(this.clock.now() + ALONE_MS, 'failing');
      this.log.begun('failing', ALONE_MS);
      return { waitMs: 0, isForEmail: false };
    }
  }

  private noteTurn([milliseconds, kind]: Probe): Turn {
    if (kind === 'over') {
      this.endFailing();
      return { waitMs: 0, isForEmail: false };
    }
    this.log.begun('failing', milliseconds);
    if (kind === 'turn') return { waitMs: milliseconds, isForEmail: false };
    this.ends.extend(this.clock.now() + milliseconds, 'failing');
    return { waitMs: kind === 'paused' ? milliseconds : 0, isForEmail: kind === 'email' };
  }

  private endFailing(): void {
    this.unknownSinceAccepted = 0;
    this.failing = false;
    this.ends.endFailing();
  }

  private async check(now: number): Promise<void> {
    const wasFailing = this.failing;
    try {
      const [shared] = await readPauses(this.redis, [this.id]);
      const { remainingMs, cause, refusedForMs, isFailing, isKnownToAccept } = shared!;
      this.refusedForMs = refusedForMs;
      this.isKnownToAccept = isKnownToAccept;
      // What a call has shown meanwhile is newer.
      if (this.failing !== wasFailing) return;
      // Another worker found out that the provider works again.
      if (!isFailing && wasFailing) this.endFailing();
      this.failing = isFailing;
      this.calls.wake();
      if (remainingMs > 0) {
        this.ends.extend(now + remainingMs, PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled');
      }
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not check for a pause');
    }
  }
}
