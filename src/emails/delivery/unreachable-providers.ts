import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { ProviderInUse } from './provider-in-use.js';

/** After so many calls without a connection, a provider is tried last for a while. */
const UNREACHABLE_CALLS = 3;
const UNREACHABLE_MS = 30_000;

/** When a provider becomes unreachable, and when it can be reached again. */
interface ReachabilityReports {
  readonly lost: (provider: ProviderInUse) => void;
  readonly regained: (provider: ProviderInUse) => void;
}

/**
 * Logs both, but not the loss of the only provider: no other one is tried before it.
 * @param areOwn true if they are an organization's own, whose loss is no warning for operators
 * @param count of the providers that an email can have
 */
export function reachabilityLog(logger: Logger, areOwn: boolean, count: number): ReachabilityReports {
  const level = areOwn ? 'info' : 'warn';
  return {
    lost: ({ id: provider }) => {
      if (count > 1) logger[level]({ provider }, 'The provider cannot be reached: other providers are tried first');
    },
    regained: ({ id: provider }) => logger.info({ provider }, 'The provider can be reached again'),
  };
}

/** The providers to which the latest calls got no connection. */
export class UnreachableProviders {
  private readonly unreachable = new Map<ProviderInUse, { calls: number; until: number }>();

  /** @param clock monotonic */
  constructor(
    private readonly clock: Clock,
    private readonly reports: ReachabilityReports,
  ) {}

  /** Call this with the result of each call. */
  count(provider: ProviderInUse, isUnreachable: boolean): void {
    const calls = this.unreachable.get(provider)?.calls ?? 0;
    if (!isUnreachable) {
      if (calls >= UNREACHABLE_CALLS) this.reports.regained(provider);
      this.unreachable.delete(provider);
      return;
    }
    if (calls + 1 === UNREACHABLE_CALLS) this.reports.lost(provider);
    const until = calls + 1 < UNREACHABLE_CALLS ? 0 : this.clock.now() + UNREACHABLE_MS;
    this.unreachable.set(provider, { calls: calls + 1, until });
  }

  /** The same providers, unreachable ones last. */
  putLast(providers: readonly ProviderInUse[]): readonly ProviderInUse[] {
    const now = this.clock.now();
    const isUnreachable = (provider: ProviderInUse) => (this.unreachable.get(provider)?.until ?? 0) > now;
    return [...providers.filter((one) => !isUnreachable(one)), ...providers.filter(isUnreachable)];
  }
}
