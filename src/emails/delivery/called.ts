import type { DeliveryOutcome } from '../../providers/provider.js';
import { FAILING } from './failing-provider.js';
import type { ProviderInUse } from './provider-in-use.js';

/** When an email is tried again that found its providers over their limits. */
export const OVER_RATE_MS = 1_000;

/** The end of a call. */
export interface Called {
  readonly outcome: DeliveryOutcome;
  /** True when no other provider may follow. */
  readonly stays: boolean;
}

/** Makes one call of a provider. */
export type CallOfProvider = (provider: ProviderInUse, signal: AbortSignal) => Promise<Called>;

export type Failure = Extract<DeliveryOutcome, { kind: 'retry' | 'throttled' | 'credential-refused' }>;

/** True if another provider may get the email: this one certainly has not accepted it, and refused no recipient. */
export function mayMove(outcome: DeliveryOutcome): outcome is Failure {
  if (outcome.kind === 'retry') return outcome.recipients === undefined;
  return outcome.kind === 'throttled' || outcome.kind === 'credential-refused';
}

export function waiting(pauseMs: number): Called {
  return { outcome: { kind: 'throttled', reason: FAILING, pauseMs }, stays: false };
}

export function overRate({ id }: ProviderInUse): Called {
  const reason = `The limit of emails per second of ${id} is reached`;
  return { outcome: { kind: 'throttled', reason, pauseMs: OVER_RATE_MS }, stays: false };
}
