import type { DeliveryOutcome } from '../../providers/provider.js';
import { providerPauseAfter } from './delivery-policy.js';
import type { ProviderPause } from './provider-pause.js';

/** Notes what the outcome of a call shows about its provider, and begins the pause that it calls for. */
export async function notePause(pause: ProviderPause, outcome: DeliveryOutcome, organizationId: string): Promise<void> {
  if (outcome.kind === 'accepted') pause.accepted();
  if (outcome.kind === 'ambiguous') await pause.failure.outcomeUnknown(organizationId);
  const begins = providerPauseAfter(outcome);
  if (begins) await pause.begin(begins.milliseconds, begins.cause);
}
