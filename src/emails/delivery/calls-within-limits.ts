import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock/clock.js';
import type { Deadline } from '../../platform/clock/with-deadline.js';
import { overRate, waiting, type Called } from './called.js';
import type { ProviderInUse } from './provider-in-use.js';

/** When an email is tried again that waited too long for the calls of others. */
const OTHERS_FIRST_MS = 1_000;

/** Calls providers in turn while they are suspect, and within their limits of emails per second. */
export class CallsWithinLimits {
  /** Until when a provider takes no email because of its limit. */
  private readonly overRateUntil = new Map<ProviderInUse, number>();

  /** @param clock monotonic */
  constructor(private readonly clock: Clock) {}

  /**
   * Makes a call in its turn and within the limit of its provider. An email holds no turn while it waits for the limit,
   * and needs one afterwards: the provider may be suspect by then, and many emails go on at once.
   * @param deadline of this call and those before it
   */
  async call(
    provider: ProviderInUse,
    maxWaitMs: number,
    deadline: Deadline,
    call: (signal: AbortSignal) => Promise<Called>,
  ): Promise<Called> {
    const waitUntil = this.clock.now() + maxWaitMs;
    const callOrWaitMs = async (): Promise<Called | number> => {
      if (deadline.hasPassed) return waiting(OTHERS_FIRST_MS);
      return (await provider.rate?.take()) || call(deadline.begin());
    };
    for (;;) {
      const remainingMs = Math.max(0, waitUntil - this.clock.now());
      const called = (await provider.pause.failure.inTurn(callOrWaitMs, remainingMs)) ?? waiting(OTHERS_FIRST_MS);
      if (typeof called !== 'number') return called;
      const nextAt = this.clock.now() + called;
      if (nextAt > waitUntil) {
        this.overRateUntil.set(provider, nextAt);
        return overRate(provider);
      }
      await sleep(called);
    }
  }

  /** Milliseconds until one of the providers may be called; 0 when one may be called now. */
  async remainingMs(providers: readonly ProviderInUse[]): Promise<number> {
    const now = this.clock.now();
    const remaining = providers.map(async (provider) =>
      Math.max((this.overRateUntil.get(provider) ?? 0) - now, await provider.pause.remainingMs()),
    );
    return Math.max(0, Math.min(...(await Promise.all(remaining))));
  }
}
