import { Inject, Injectable } from '@nestjs/common';
import { viewGuardLimits, type GuardLimitsView } from '../../organizations/guard/guard-limits.js';
import { RATE_WINDOWS, readCounts, readGuardState } from '../../organizations/guard/guard-rates.js';
import {
  guardVerdict,
  rateOf,
  type ExceededRate,
  type SendingCounts,
} from '../../organizations/guard/guard-verdict.js';
import type { GuardStatus } from '../../organizations/guard/guard-status.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { ProviderStates, type ProviderStateView } from './provider-state.js';

/** Recipients of all domains together within some hours until now. */
export interface SendingRateView {
  readonly hours: number;
  readonly sent: number;
  /** Hard bounces. */
  readonly bounced: number;
  readonly complained: number;
  /** `bounced / sent`, at most 1; 0 without recipients. */
  readonly bounceRate: number;
  readonly complaintRate: number;
}

export interface SendingStateView {
  readonly state: GuardStatus;
  /** One sentence; null while the state is normal. */
  readonly reason: string | null;
  /** Null if the state was never anything but normal. */
  readonly since: string | null;
  /** Emails that may be sent in a minute while the state is `slowed`; otherwise null. */
  readonly emailsPerMinute: number | null;
  readonly rates: readonly SendingRateView[];
  /** Rates that have reached a limit by now. */
  readonly exceeded: readonly ExceededRate[];
  readonly limits: GuardLimitsView;
  readonly provider: ProviderStateView;
}

/** Reports to an organization whether its mail is sent. */
@Injectable()
export class SendingStates {
  constructor(
    private readonly database: Database,
    private readonly providers: ProviderStates,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read(organizationId: string): Promise<SendingStateView> {
    const { settings, database } = this;
    const [{ state, reason, since }, counts, provider] = await Promise.all([
      readGuardState(database, organizationId),
      readCounts(database, organizationId, settings.GUARD_MIN_SENT),
      this.providers.ofOrganization(organizationId),
    ]);
    return {
      state,
      reason,
      since: since?.toISOString() ?? null,
      emailsPerMinute: state === 'slowed' ? settings.GUARD_SLOW_PER_MINUTE : null,
      rates: RATE_WINDOWS.map((hours) => ratesWithin(hours, counts)),
      exceeded: guardVerdict(counts, settings)?.rates ?? [],
      limits: viewGuardLimits(settings),
      provider,
    };
  }
}

function ratesWithin(window: number, counts: readonly SendingCounts[]): SendingRateView {
  const found = counts.find(({ domain, hours }) => domain === null && hours === window);
  const { sent, bounced, complained } = found ?? { sent: 0, bounced: 0, complained: 0 };
  const [bounceRate, complaintRate] = [rateOf(bounced, sent), rateOf(complained, sent)];
  return { hours: window, sent, bounced, complained, bounceRate, complaintRate };
}
