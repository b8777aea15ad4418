import type { Clock } from '../../platform/clock/clock.js';
import { Deadline } from '../../platform/clock/with-deadline.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { RedisConnection } from '../../platform/redis/connect.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { clearAllPaused, publishAllPaused } from './all-paused.js';
import { mayMove, OVER_RATE_MS, waiting, type Called, type Failure, type CallOfProvider } from './called.js';
import { CallsWithinLimits } from './calls-within-limits.js';
import { keptFromFailing, ASK_AGAIN_MS } from './failing-provider.js';
import { outcomeWithoutProvider, type RequestingEmail } from './gone-provider.js';
import { notePause } from './note-pause.js';
import { eligibleFor, orderFor } from './provider-order.js';
import type { ProviderInUse } from './provider-in-use.js';
import type { ProviderPause } from './provider-pause.js';
import type { PauseCause } from './provider-pause-key.js';
import { reachabilityLog, UnreachableProviders } from './unreachable-providers.js';

/** Longest wait for the calls of others, and for the limit of a provider; the email holds its slot meanwhile. */
const LONGEST_CALL_WAIT_MS = 2_000;

/**
 * Chooses the provider of each email. While a provider is paused, its mail goes to another one. An email moves to
 * another provider only after an outcome that says that it was certainly not accepted.
 */
export class DeliveryProviders {
  private readonly unreachable: UnreachableProviders;
  private readonly calls: CallsWithinLimits;

  /**
   * @param all at least one, in order of preference
   * @param clock monotonic
   * @param versions for an organization's own providers: their IDs and versions, see `ownProviders`
   */
  constructor(
    private readonly all: readonly ProviderInUse[],
    private readonly redis: RedisConnection,
    clock: Clock,
    logger: Logger,
    readonly versions?: string,
  ) {
    this.calls = new CallsWithinLimits(clock);
    this.unreachable = new UnreachableProviders(clock, reachabilityLog(logger, this.areOwn, all.length));
  }

  get ids(): readonly string[] {
    return this.all.map(({ id }) => id);
  }

  /** True if they are an organization's own. */
  get areOwn(): boolean {
    return this.versions !== undefined;
  }

  /** Maximum number of emails that a provider takes in one call; undefined if each email needs a separate call. */
  get maxRecipients(): number | undefined {
    const sizes = this.all.map(({ provider }) => provider.batch?.maxRecipients ?? 0);
    return Math.max(...sizes) || undefined;
  }

  /** Milliseconds until one of them may be called; 0 when one may be called now. */
  async remainingMs(): Promise<number> {
    return this.calls.remainingMs(this.all);
  }

  /**
   * How long mail waits that finds them paused. A failing one may work again before its pause ends: the email that
   * finds out begins the next pause. Jobs of organizations with their own providers may be too many to ask that often.
   * @param pausedMs until the pause ends
   */
  waitMs(pausedMs: number): number {
    const mayEndEarly = !this.areOwn && this.all.some(({ pause }) => pause.failure.isFailing);
    return mayEndEarly ? Math.min(pausedMs, ASK_AGAIN_MS) : pausedMs;
  }

  /** True once all of them have been paused for this long, without an accepted email. */
  hasLasted(milliseconds: number): boolean {
    return this.all.every(({ pause }) => pause.hasLasted(milliseconds));
  }

  /** True while all of them are an organization's own, and refuse its credentials. */
  get refuseCredentials(): boolean {
    return this.areOwn && this.all.every(({ pause }) => pause.currentCause === 'credential-refused');
  }

  /** The remaining milliseconds of each pause, by provider and cause. */
  async remainingByCause(): Promise<readonly { id: string; remaining: Readonly<Record<PauseCause, number>> }[]> {
    return Promise.all(this.all.map(async ({ id, pause }) => ({ id, remaining: await pause.remainingByCause() })));
  }

  /**
   * The first provider for the emails of one call, if it takes several. A limited provider gets single emails.
   * @param isTested true once an email has tested the first one: while that needs single emails, the next one is chosen
   */
  async forBatch(key: string, isTested: boolean): Promise<ProviderInUse | undefined> {
    const available = await this.availableFor(key, this.all);
    const ready = isTested ? available.find(({ pause }) => !pause.failure.needsSingleEmails) : undefined;
    const chosen = ready ?? available[0];
    return chosen?.provider.batch && !chosen.rate ? chosen : undefined;
  }

  /**
   * Calls providers, one after the other, until an outcome ends the attempt.
   * @param call one call of a provider
   * @param timeoutMs for all calls. It begins with the first one: waiting for it uses up none of its time
   */
  async deliver(requester: RequestingEmail, call: CallOfProvider, timeoutMs: number): Promise<DeliveryOutcome> {
    const known = outcomeWithoutProvider(requester, this.ids, this.areOwn);
    if (known) return known;
    const deadline = new Deadline(timeoutMs);
    try {
      return await this.callInOrder(requester, call, deadline);
    } finally {
      deadline.end();
    }
  }

  private async callInOrder(
    requester: RequestingEmail,
    call: CallOfProvider,
    deadline: Deadline,
  ): Promise<DeliveryOutcome> {
    const eligible = eligibleFor(requester.doubtfulProvider, this.all);
    const candidates = await this.availableFor(requester.id, eligible);
    const failures: Failure[] = [];
    for (const candidate of candidates) {
      const maxWaitMs = candidate === candidates.at(-1) ? LONGEST_CALL_WAIT_MS : 0;
      const { outcome, stays } = await this.calls.call(candidate, maxWaitMs, deadline, (signal) =>
        this.tryProvider(candidate, requester, call, signal),
      );
      if (stays || !mayMove(outcome)) return outcome;
      failures.push(outcome);
      if (deadline.hasPassed) break;
    }
    return failures.find(({ kind }) => kind === 'retry') ?? (await this.heldUntilAvailable(eligible, failures.at(-1)));
  }

  /** Calls a provider, unless it fails and the email has to wait. */
  private async tryProvider(
    provider: ProviderInUse,
    requester: RequestingEmail,
    call: CallOfProvider,
    signal: AbortSignal,
  ): Promise<Called> {
    const keptForMs = await keptFromFailing(provider, requester, signal);
    if (provider.pause.failure.isFailing) await this.reportPause(provider.pause);
    if (keptForMs > 0) return waiting(keptForMs);
    const called = await call(provider, signal);
    // A call that we aborted says nothing about the provider.
    if (!called.stays) await this.note(provider, called.outcome, requester.message.organizationId);
    return called;
  }

  /** True if another provider may get emails now that this one had, because it has certainly accepted none. */
  async canMove(from: ProviderInUse, outcome: DeliveryOutcome): Promise<boolean> {
    const others = this.all.filter((provider) => provider !== from);
    return mayMove(outcome) && (await this.availableFor('', others)).length > 0;
  }

  /** Records what the outcome of a call for an organization says about a provider. */
  async note(provider: ProviderInUse, outcome: DeliveryOutcome, organizationId: string): Promise<void> {
    const wasFailing = provider.pause.failure.isFailing;
    await notePause(provider.pause, outcome, organizationId);
    const recovers = wasFailing && !provider.pause.failure.isFailing;
    if (recovers && !this.areOwn) await clearAllPaused(this.redis);
    const isTried = outcome.kind !== 'retry' || outcome.untried !== true;
    if (isTried) this.unreachable.count(provider, outcome.kind === 'retry' && outcome.unreachable === true);
    if (recovers || outcome.kind !== 'accepted') await this.reportPause(provider.pause);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ provider }) => provider.close()));
  }

  /** Publishes for other processes that all providers are paused, if they are. */
  private async reportPause({ currentCause: cause }: ProviderPause): Promise<void> {
    if (cause === undefined || this.areOwn) return;
    await publishAllPaused(this.redis, cause, await this.remainingMs());
  }

  /** Those that are not paused, unreachable ones last. */
  private async availableFor(key: string, providers: readonly ProviderInUse[]): Promise<readonly ProviderInUse[]> {
    const remaining = await Promise.all(providers.map((one) => this.calls.remainingMs([one])));
    const available = orderFor(
      key,
      providers.filter((_, index) => remaining[index] === 0),
    );
    return this.unreachable.putLast(available);
  }

  /** The outcome of an email that no provider may get now. It waits for the first of them, whichever failed last. */
  private async heldUntilAvailable(eligible: readonly ProviderInUse[], last?: Failure): Promise<DeliveryOutcome> {
    const remainingMs = await this.calls.remainingMs(eligible);
    const reason = last?.reason ?? 'The provider is paused';
    if (this.refuseCredentials) return { kind: 'credential-refused', reason };
    const otherwiseMs = last?.kind === 'throttled' ? last.pauseMs : OVER_RATE_MS;
    return { kind: 'throttled', reason, pauseMs: remainingMs > 0 ? this.waitMs(remainingMs) : otherwiseMs };
  }
}
